/* The changes that repairs make to the run; see plan.h. */
#include "analyzer/causes/plan.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/causes/managed.h"
#include "analyzer/causes/statement.h"
#include "analyzer/causes/unpin.h"
#include "analyzer/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "schema/kinds.h"

/* What the host takes for a call that only gives work to the device; measured on the host of an H100
 * (docs/measurements.md). */
#define ASYNC_CALL_NS 4000

/* What gathering small pieces in one buffer takes the host, for each byte. */
#define GATHER_NS_PER_BYTE 0.1

/* --- begin and end --- */

static enum xs_model_kind kind_of(enum xs_evidence_table table) {
    switch (table) {
    case XS_EVIDENCE_TRANSFER:
        return XS_MODEL_TRANSFER;
    case XS_EVIDENCE_MEMSET:
        return XS_MODEL_MEMSET;
    case XS_EVIDENCE_ALLOCATION:
        return XS_MODEL_ALLOCATION;
    case XS_EVIDENCE_LAUNCH:
        return XS_MODEL_LAUNCH;
    case XS_EVIDENCE_SYNC:
        return XS_MODEL_SYNC;
    case XS_EVIDENCE_API_CALL:
    case XS_EVIDENCE_MIGRATION:
        break;
    }
    return XS_MODEL_OTHER;
}

static bool is_before(const struct xs_plan_row *x, uint32_t kind, int64_t row) {
    return x->kind != kind ? x->kind < kind : x->row < row;
}

static int by_row(const void *a, const void *b) {
    const struct xs_plan_row *x = a, *y = b;
    return is_before(x, y->kind, y->row) ? -1 : is_before(y, x->kind, x->row);
}

uint32_t xs_plan_find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row) {
    size_t low = 0, high = plan->model->call_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&plan->rows[middle], kind, row))
            low = middle + 1;
        else
            high = middle;
    }
    const struct xs_plan_row *found = &plan->rows[low];
    bool is_there = low < plan->model->call_count && found->kind == kind && found->row == row;
    return row > 0 && is_there ? found->call : XS_PLAN_NONE;
}

static uint32_t *numbers(uint32_t count, uint32_t value) {
    uint32_t *items = xs_realloc(NULL, ((size_t)count + 1) * sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = value;
    return items;
}

static void link_calls(struct xs_plan *plan) {
    const struct xs_model *model = plan->model;
    uint32_t *latest = numbers((uint32_t)model->threads, XS_PLAN_NONE);
    plan->rows = xs_realloc(NULL, ((size_t)model->call_count + 1) * sizeof *plan->rows);
    plan->previous = numbers(model->call_count, XS_PLAN_NONE);
    plan->next = numbers(model->call_count, XS_PLAN_NONE);
    plan->change_of = numbers(model->call_count, 0);
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        plan->rows[i] = (struct xs_plan_row){call->row, call->kind, i};
        plan->previous[i] = latest[call->thread];
        if (latest[call->thread] != XS_PLAN_NONE)
            plan->next[latest[call->thread]] = i;
        latest[call->thread] = i;
    }
    free(latest);
    if (model->call_count)
        qsort(plan->rows, model->call_count, sizeof *plan->rows, by_row);
}

int xs_plan_begin(struct xs_plan *plan, const struct xs_model *model, const struct xs_trace *trace,
                  const struct xs_findings *findings, char *message) {
    *plan = (struct xs_plan){.model = model, .findings = findings};
    link_calls(plan);
    xs_statement_overheads(plan);
    xs_host_memory_begin(&plan->host_memory, plan);
    int status = xs_pinning_begin(&plan->pinning, trace, message);
    return status < 0 ? status : xs_managed_read(&plan->managed, plan, trace, message);
}

void xs_plan_end(struct xs_plan *plan) {
    free(plan->rows);
    xs_hash_free(&plan->overheads);
    xs_pinning_end(&plan->pinning);
    xs_host_memory_end(&plan->host_memory);
    xs_managed_free(plan->managed);
    free(plan->previous);
    free(plan->next);
    free(plan->change_of);
    free(plan->changes);
    free(plan->changed);
    free(plan->without_host);
    *plan = (struct xs_plan){0};
}

void xs_plan_clear(struct xs_plan *plan) {
    for (uint32_t i = 0; i < plan->count; i++)
        plan->change_of[plan->changed[i]] = 0;
    plan->count = 0;
    xs_host_memory_clear(&plan->host_memory);
    xs_managed_clear(plan->managed);
    xs_pinning_clear(&plan->pinning);
}

int64_t xs_plan_run(struct xs_plan *plan) {
    int64_t run_ns = xs_replay_run(plan->model, plan->change_of, plan->changes, NULL);
    return run_ns + xs_model_length(xs_pinning_ns(&plan->pinning)) + plan->host_memory.instead_ns;
}

/* --- changes --- */

static void change_use(struct xs_plan *plan, uint32_t call, const struct xs_change *to, bool without_host) {
    uint32_t number = plan->change_of[call];
    if (number) {
        if (to->dropped && !plan->changes[number - 1].dropped) {
            plan->changes[number - 1] = *to;
            if (without_host && !plan->without_host[number - 1])
                xs_host_memory_leave(&plan->host_memory, plan, call);
            plan->without_host[number - 1] = without_host;
        }
        return;
    }
    if (plan->count == plan->capacity) {
        plan->capacity = plan->capacity ? plan->capacity * 2 : 1024;
        plan->changes = xs_realloc(plan->changes, plan->capacity * sizeof *plan->changes);
        plan->changed = xs_realloc(plan->changed, plan->capacity * sizeof *plan->changed);
        plan->without_host = xs_realloc(plan->without_host, plan->capacity * sizeof *plan->without_host);
    }
    plan->changes[plan->count] = *to;
    plan->changed[plan->count] = call;
    plan->without_host[plan->count] = without_host;
    if (without_host)
        xs_host_memory_leave(&plan->host_memory, plan, call);
    plan->change_of[call] = ++plan->count;
}

static void change(struct xs_plan *plan, uint32_t call, const struct xs_change *to) {
    change_use(plan, call, to, to->dropped);
}

struct xs_change *xs_plan_alter(struct xs_plan *plan, uint32_t call) {
    change(plan, call, &(struct xs_change){0});
    struct xs_change *altered = &plan->changes[plan->change_of[call] - 1];
    return altered->dropped ? NULL : altered;
}

/* The call, and what of its statement is directly behind it. */
static void drop(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    change(plan, call, &(struct xs_change){.dropped = true, .before_ns = -xs_statement_before(plan, call, end)});
    for (uint32_t i = call; (i = plan->next[i]) != XS_PLAN_NONE && xs_statement_continues(plan, call, i);) {
        int64_t before = plan->model->calls[i].enter_ns - plan->model->calls[plan->previous[i]].return_ns;
        struct xs_change of_it = {.before_ns = -before};
        if (plan->model->calls[i].kind == XS_MODEL_RECORD) /* what waits for the event still finds it */
            of_it.returns = XS_RETURNS_AT_ONCE;
        else
            of_it.dropped = true;
        change(plan, i, &of_it);
    }
}

static int64_t operations_ns(const struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t ns = 0;
    for (uint32_t k = 0; k < c->operations; k++)
        ns = xs_model_ns(ns + xs_model_lasted(&plan->model->operations[c->operation + k]));
    return ns;
}

/* The copy is page-locked: its host memory need not be staged. An asynchronous one returns at once. At least, memory
 * that there is has to be page-locked for it; at most, it is allocated so from the beginning. */
static void pin(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    const struct xs_model_call *c = &plan->model->calls[call];
    enum xs_link_class class = xs_link_class_of(c->direction, XS_MEM_PINNED);
    int64_t pinned = (int64_t)xs_link_ns(&plan->findings->link, class, c->bytes);
    int64_t now = operations_ns(plan, call);
    if (!pinned)
        return;
    change(plan, call,
           &(struct xs_change){.lasts = true,
                               .operation_ns = pinned < now ? pinned : now,
                               .unstaged = true,
                               .returns = c->is_async ? XS_RETURNS_AT_ONCE : XS_RETURNS_BEHIND,
                               .host_ns = c->is_async ? ASYNC_CALL_NS : XS_BEHIND_COPY_NS});
    if (end == XS_PLAN_LEAST)
        xs_pinning_add(&plan->pinning, c->address, c->bytes);
}

/* The device makes the bytes itself. */
static void replace(struct xs_plan *plan, uint32_t call, enum xs_link_class class, enum xs_plan_end end) {
    uint64_t ns = xs_link_ns(&plan->findings->link, class, plan->model->calls[call].bytes);
    change_use(plan, call,
               &(struct xs_change){.lasts = true,
                                   .operation_ns = xs_model_length(ns),
                                   .unstaged = true,
                                   .returns = XS_RETURNS_AT_ONCE,
                                   .host_ns = ASYNC_CALL_NS,
                                   .before_ns = -xs_statement_before(plan, call, end)},
               true);
}

static void shorten(struct xs_plan *plan, uint32_t call, uint64_t by_ns) {
    int64_t now = operations_ns(plan, call), by = xs_model_length(by_ns), less = by < now ? by : now;
    change(plan, call, &(struct xs_change){.lasts = true, .operation_ns = now - less});
}

/* The copy is on a stream of its own; what comes early is sent early. Who downloads may need what comes at once, but at
 * most the downloads of the stream are moved, too. */
static void move(struct xs_plan *plan, uint32_t call) {
    struct xs_change beside = {.beside = true};
    if (plan->model->calls[call].direction == XS_DIR_H2D) {
        beside.returns = XS_RETURNS_AT_ONCE;
        beside.host_ns = ASYNC_CALL_NS;
    }
    change(plan, call, &beside);
}

static void overlap(struct xs_plan *plan, uint32_t call, enum xs_plan_end end) {
    const struct xs_model_call *calls = plan->model->calls;
    move(plan, call);
    for (uint32_t i = call; end == XS_PLAN_MOST && (i = plan->next[i]) != XS_PLAN_NONE;) {
        bool is_copy = calls[i].direction == XS_DIR_H2D || calls[i].direction == XS_DIR_D2H;
        if (!is_copy || calls[i].stream != calls[call].stream)
            continue;
        if (plan->change_of[i])
            break; /* the finding's next instance, which was here before */
        move(plan, i);
    }
}

/* The calls of the place from one to another, or one alone. */
static void gather(struct xs_plan *plan, uint32_t first, uint32_t last, enum xs_plan_end end) {
    const struct xs_model *model = plan->model;
    const struct xs_model_call *to = &model->calls[first];
    uint64_t bytes = 0;
    for (uint32_t i = first; i != XS_PLAN_NONE; i = plan->next[i]) {
        const struct xs_model_call *call = &model->calls[i];
        if (call->kind == XS_MODEL_TRANSFER && call->site == to->site) {
            bytes = xs_sum(bytes, call->bytes);
            if (i != first)
                drop(plan, i, end);
        }
        if (i == last)
            break;
    }
    enum xs_link_class class = xs_link_class_of(to->direction, to->memory_kind);
    int64_t ns = xs_model_length(xs_link_ns(&plan->findings->link, class, bytes)), now = operations_ns(plan, first);
    change(plan, first,
           &(struct xs_change){.lasts = true,
                               .operation_ns = ns > now ? ns : now,
                               .before_ns = xs_model_ns((int64_t)((double)bytes * GATHER_NS_PER_BYTE))});
}

static size_t repair(struct xs_plan *plan, const struct xs_repairable *item, enum xs_plan_end end) {
    enum xs_model_kind kind = kind_of((enum xs_evidence_table)item->table);
    uint32_t first = xs_plan_find(plan, kind, item->rows[0]), second = xs_plan_find(plan, kind, item->rows[1]);
    enum xs_repair repair = xs_detector_repair(xs_detectors[item->detector], item->verdict);
    if (repair == XS_REPAIR_KEEP && kind == XS_MODEL_ALLOCATION)
        second = xs_plan_find(plan, XS_MODEL_FREE, item->rows[1]);
    if (repair == XS_REPAIR_NOT_ALLOCATE)
        second = xs_plan_find(plan, XS_MODEL_FREE, item->rows[0]);
    if (first == XS_PLAN_NONE)
        return 0;
    switch (repair) {
    case XS_REPAIR_DROP:
        drop(plan, first, end);
        break;
    case XS_REPAIR_DROP_BOTH:
        drop(plan, first, end);
        if (second != XS_PLAN_NONE && end == XS_PLAN_MOST)
            drop(plan, second, end);
        break;
    case XS_REPAIR_KEEP:
    case XS_REPAIR_NOT_ALLOCATE:
        drop(plan, first, end);
        if (second != XS_PLAN_NONE)
            drop(plan, second, end);
        break;
    case XS_REPAIR_GATHER:
        if (second != XS_PLAN_NONE)
            gather(plan, first, second, end);
        break;
    case XS_REPAIR_SHORTEN:
        shorten(plan, first, item->device_ns);
        break;
    case XS_REPAIR_PIN:
        pin(plan, first, end);
        break;
    case XS_REPAIR_MEMSET:
        replace(plan, first, XS_LINK_MEMSET, end);
        break;
    case XS_REPAIR_DEVICE_COPY:
        replace(plan, first, XS_LINK_D2D, end);
        break;
    case XS_REPAIR_UNPIN:
        return xs_unpin(plan, first, end);
    case XS_REPAIR_OVERLAP:
        overlap(plan, first, end);
        break;
    case XS_REPAIR_KEEP_ON_DEVICE:
        xs_managed_keep(plan->managed, item->rows[0]);
        return 0; /* counted when they are all known */
    case XS_REPAIR_OF_DETECTOR:
        return 0;
    }
    return 1;
}

/* What is page-locked for copies that are not made any more is not page-locked either. */
static void drop_host_memory(struct xs_plan *plan) {
    for (const struct xs_locked_memory *item; (item = xs_host_memory_next_useless(&plan->host_memory));) {
        change(plan, item->allocation, &(struct xs_change){.dropped = true});
        if (item->free != XS_PLAN_NONE)
            change(plan, item->free, &(struct xs_change){.dropped = true});
    }
}

size_t xs_plan_add(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += repair(plan, &items[i], end);
    found += xs_managed_change(plan->managed, plan, end);
    if (end == XS_PLAN_MOST)
        drop_host_memory(plan);
    return found;
}

uint32_t xs_plan_call(const struct xs_plan *plan, const struct xs_repairable *item) {
    return xs_plan_find(plan, kind_of((enum xs_evidence_table)item->table), item->rows[0]);
}
