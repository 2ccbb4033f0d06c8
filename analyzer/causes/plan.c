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

static uint32_t find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row) {
    size_t low = 0, high = plan->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&plan->rows[middle], kind, row))
            low = middle + 1;
        else
            high = middle;
    }
    const struct xs_plan_row *found = &plan->rows[low];
    bool is_there = low < plan->row_count && found->kind == kind && found->row == row;
    return row > 0 && is_there ? found->number : XS_PLAN_NONE;
}

static bool is_of_batch(const struct xs_plan *plan, uint32_t number) {
    return number != XS_PLAN_NONE && number >= plan->model->call_count;
}

static uint32_t call_of(const struct xs_plan *plan, uint32_t number) {
    return is_of_batch(plan, number) ? plan->model->copies[number - plan->model->call_count].call : number;
}

uint32_t xs_plan_find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row) {
    return call_of(plan, find(plan, kind, row));
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
    plan->rows = xs_realloc(NULL, ((size_t)model->call_count + model->copy_count + 1) * sizeof *plan->rows);
    plan->previous = numbers(model->call_count, XS_PLAN_NONE);
    plan->next = numbers(model->call_count, XS_PLAN_NONE);
    plan->change_of = numbers(model->call_count, 0);
    plan->copies = xs_realloc(NULL, ((size_t)model->copy_count + 1) * sizeof *plan->copies);
    memset(plan->copies, 0, ((size_t)model->copy_count + 1) * sizeof *plan->copies);
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (!call->copies)
            plan->rows[plan->row_count++] = (struct xs_plan_row){call->row, call->kind, i};
        plan->previous[i] = latest[call->thread];
        if (latest[call->thread] != XS_PLAN_NONE)
            plan->next[latest[call->thread]] = i;
        latest[call->thread] = i;
    }
    for (uint32_t i = 0; i < model->copy_count; i++)
        plan->rows[plan->row_count++] =
            (struct xs_plan_row){model->copies[i].row, XS_MODEL_TRANSFER, model->call_count + i};
    free(latest);
    if (plan->row_count)
        qsort(plan->rows, plan->row_count, sizeof *plan->rows, by_row);
}

/* Of copies of a mebibyte or more: of small ones the fixed cost would count as a rate. */
static int read_peer_rate(struct xs_plan *plan, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    double ns = 0, bytes = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT start_ns, end_ns, bytes FROM device_copy WHERE kind = 10 AND bytes >= 1 << 20"
                  " AND start_ns IS NOT NULL",
                  message, NULL);
    while (xs_scan_row(&scan)) {
        uint64_t took;
        if (!xs_scan_span(&scan, 0, 1, &took))
            continue;
        ns += (double)took;
        bytes += (double)xs_scan_count(&scan, 2);
    }
    plan->peer_ns_per_byte = bytes > 0 ? ns / bytes : 0;
    return xs_scan_end(&scan);
}

int xs_plan_begin(struct xs_plan *plan, const struct xs_model *model, const struct xs_trace *trace,
                  const struct xs_findings *findings, char *message) {
    *plan = (struct xs_plan){.model = model, .findings = findings};
    link_calls(plan);
    xs_statement_overheads(plan);
    xs_host_memory_begin(&plan->host_memory, plan);
    int status = xs_pinning_begin(&plan->pinning, trace, message);
    status = status < 0 ? status : read_peer_rate(plan, trace, message);
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
    free(plan->copies);
    *plan = (struct xs_plan){0};
}

void xs_plan_clear(struct xs_plan *plan) {
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct xs_model_call *call = &plan->model->calls[plan->changed[i]];
        plan->change_of[plan->changed[i]] = 0;
        for (uint32_t k = 0; k < call->copies; k++)
            plan->copies[call->copy + k] = (struct xs_plan_copy){0};
    }
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

/* The call's copies, those of a batch that are still made, do not use the host's memory any more. */
static void leave_host_memory(struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    if (c->kind == XS_MODEL_TRANSFER && !c->copies)
        xs_host_memory_leave(&plan->host_memory, plan, call);
    for (uint32_t i = c->copy; i < c->copy + c->copies; i++)
        if (!plan->copies[i].is_left_out)
            xs_host_memory_leave(&plan->host_memory, plan, plan->model->call_count + i);
}

static void change_use(struct xs_plan *plan, uint32_t call, const struct xs_change *to, bool without_host) {
    uint32_t number = plan->change_of[call];
    if (number) {
        if (to->dropped && !plan->changes[number - 1].dropped) {
            plan->changes[number - 1] = *to;
            if (without_host && !plan->without_host[number - 1])
                leave_host_memory(plan, call);
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
        leave_host_memory(plan, call);
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

int64_t xs_plan_operations_ns(const struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t ns = 0;
    for (uint32_t k = 0; k < c->operations; k++)
        ns = xs_model_ns(ns + xs_model_lasted(&plan->model->operations[c->operation + k]));
    return ns;
}

static int64_t pinned_ns(const struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t now = xs_plan_operations_ns(plan, call);
    int64_t ns = (int64_t)xs_link_ns(&plan->findings->link, xs_link_class_of(c->direction, XS_MEM_PINNED), c->bytes);
    return ns < now ? ns : now;
}

/* The copy is page-locked: its host memory need not be staged. An asynchronous one returns at once. At least, memory
 * that there is has to be page-locked for it; at most, it is allocated so from the beginning. Of a batch, all copies
 * are taken to be page-locked then: each is an instance of its own that page-locks its memory. */
static void pin(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    uint32_t call = call_of(plan, number);
    const struct xs_model_call *c = &plan->model->calls[call];
    if (!xs_link_ns(&plan->findings->link, xs_link_class_of(c->direction, XS_MEM_PINNED), c->bytes))
        return;
    change(plan, call,
           &(struct xs_change){.lasts = true,
                               .operation_ns = pinned_ns(plan, call),
                               .unstaged = true,
                               .returns = c->is_async ? XS_RETURNS_AT_ONCE : XS_RETURNS_BEHIND,
                               .host_ns = c->is_async ? ASYNC_CALL_NS : XS_BEHIND_COPY_NS});
    if (end == XS_PLAN_LEAST && is_of_batch(plan, number)) {
        const struct xs_model_copy *copy = &plan->model->copies[number - plan->model->call_count];
        xs_pinning_add(&plan->pinning, copy->address, copy->bytes);
    } else if (end == XS_PLAN_LEAST) {
        xs_pinning_add(&plan->pinning, c->address, c->bytes);
    }
}

/* --- copies of a batch --- */

/* A part of the call's time on the device goes, once for each copy: `ns` of what it takes now. */
static void take_less(struct xs_plan *plan, uint32_t number, int64_t ns) {
    struct xs_plan_copy *copy = &plan->copies[number - plan->model->call_count];
    uint32_t call = call_of(plan, number);
    struct xs_change *less = copy->is_changed ? NULL : xs_plan_alter(plan, call);
    int64_t now = xs_plan_operations_ns(plan, call);
    copy->is_changed = true;
    if (!less || now <= 0)
        return;
    if (!less->lasts)
        less->operation_ns = now;
    less->lasts = true;
    if (less->unstaged) /* it is page-locked, too */
        ns = (int64_t)((double)ns * (double)pinned_ns(plan, call) / (double)now);
    less->operation_ns = less->operation_ns > ns ? less->operation_ns - ns : 0;
}

/* The copy is not made, or the device makes its bytes itself, which takes `instead_ns`: the call's time on the device
 * is less by its share. The last copy takes the call with it. */
static void leave_out(struct xs_plan *plan, uint32_t number, uint64_t instead_ns, enum xs_plan_end end) {
    const struct xs_model_copy *copy = &plan->model->copies[number - plan->model->call_count];
    const struct xs_model_call *call = &plan->model->calls[copy->call];
    struct xs_plan_copy *own = &plan->copies[number - plan->model->call_count], *all = &plan->copies[call->copy];
    if (own->is_left_out)
        return;
    double share = call->bytes ? (double)copy->bytes / (double)call->bytes : 0;
    int64_t ns = (int64_t)((double)xs_plan_operations_ns(plan, copy->call) * share + 0.5);
    take_less(plan, number, (uint64_t)ns > instead_ns ? ns - (int64_t)instead_ns : 0);
    own->is_left_out = true;
    xs_host_memory_leave(&plan->host_memory, plan, number);
    all->instead_ns = xs_sum(all->instead_ns, instead_ns);
    if (++all->left_out < call->copies)
        return;
    struct xs_change *left = all->instead_ns ? xs_plan_alter(plan, copy->call) : NULL;
    if (left)
        *left = (struct xs_change){.lasts = true,
                                   .operation_ns = (int64_t)all->instead_ns,
                                   .unstaged = true,
                                   .returns = XS_RETURNS_AT_ONCE,
                                   .host_ns = ASYNC_CALL_NS,
                                   .before_ns = -xs_statement_before(plan, copy->call, end)};
    else
        drop(plan, copy->call, end);
}

/* --- calls, and copies of a batch --- */

static void drop_copy(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    if (is_of_batch(plan, number))
        leave_out(plan, number, 0, end);
    else
        drop(plan, number, end);
}

static uint64_t bytes_of(const struct xs_plan *plan, uint32_t number) {
    const struct xs_model *model = plan->model;
    return is_of_batch(plan, number) ? model->copies[number - model->call_count].bytes : model->calls[number].bytes;
}

static uint64_t link_ns(const struct xs_plan *plan, uint32_t number, enum xs_link_class class) {
    return xs_link_ns(&plan->findings->link, class, bytes_of(plan, number));
}

/* The device makes the bytes itself, or has them from another one, which takes so long. */
static void replace(struct xs_plan *plan, uint32_t number, uint64_t ns, enum xs_plan_end end) {
    if (is_of_batch(plan, number)) {
        leave_out(plan, number, ns, end);
        return;
    }
    change_use(plan, number,
               &(struct xs_change){.lasts = true,
                                   .operation_ns = xs_model_length(ns),
                                   .unstaged = true,
                                   .returns = XS_RETURNS_AT_ONCE,
                                   .host_ns = ASYNC_CALL_NS,
                                   .before_ns = -xs_statement_before(plan, number, end)},
               true);
}

/* A peer copy is as fast as those of the trace. If it has none: at least, as an upload from pinned memory; at most,
 * over a link between the devices, it takes next to no time. */
static void replace_by_peer(struct xs_plan *plan, uint32_t number, enum xs_plan_end end) {
    double ns = (double)bytes_of(plan, number) * plan->peer_ns_per_byte;
    if (ns <= 0 && end == XS_PLAN_LEAST)
        ns = (double)link_ns(plan, number, XS_LINK_H2D_PINNED);
    if (ns <= 0)
        drop_copy(plan, number, end);
    else
        replace(plan, number, (uint64_t)ns, end);
}

static void shorten(struct xs_plan *plan, uint32_t number, uint64_t by_ns) {
    int64_t now = xs_plan_operations_ns(plan, call_of(plan, number)), by = xs_model_length(by_ns);
    int64_t less = by < now ? by : now;
    if (is_of_batch(plan, number))
        take_less(plan, number, less);
    else
        change(plan, number, &(struct xs_change){.lasts = true, .operation_ns = now - less});
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
    int64_t ns = xs_model_length(xs_link_ns(&plan->findings->link, class, bytes)),
            now = xs_plan_operations_ns(plan, first);
    change(plan, first,
           &(struct xs_change){.lasts = true,
                               .operation_ns = ns > now ? ns : now,
                               .before_ns = xs_model_ns((int64_t)((double)bytes * GATHER_NS_PER_BYTE))});
}

static size_t repair(struct xs_plan *plan, const struct xs_repairable *item, enum xs_plan_end end) {
    enum xs_model_kind kind = kind_of((enum xs_evidence_table)item->table);
    uint32_t number = find(plan, kind, item->rows[0]), other = find(plan, kind, item->rows[1]); /* of copies */
    uint32_t first = call_of(plan, number), second = call_of(plan, other);
    enum xs_repair repair = xs_detector_repair(xs_detectors[item->detector], item->verdict);
    if (repair == XS_REPAIR_KEEP && kind == XS_MODEL_ALLOCATION)
        second = xs_plan_find(plan, XS_MODEL_FREE, item->rows[1]);
    if (repair == XS_REPAIR_NOT_ALLOCATE)
        second = xs_plan_find(plan, XS_MODEL_FREE, item->rows[0]);
    if (first == XS_PLAN_NONE)
        return 0;
    switch (repair) {
    case XS_REPAIR_DROP:
        drop_copy(plan, number, end);
        break;
    case XS_REPAIR_DROP_BOTH:
        drop_copy(plan, number, end);
        if (second != XS_PLAN_NONE && end == XS_PLAN_MOST)
            drop_copy(plan, other, end);
        break;
    case XS_REPAIR_PEER_COPY:
        replace_by_peer(plan, number, end);
        if (second != XS_PLAN_NONE && end == XS_PLAN_MOST)
            drop_copy(plan, other, end);
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
        shorten(plan, number, item->device_ns);
        break;
    case XS_REPAIR_PIN:
        pin(plan, number, end);
        break;
    case XS_REPAIR_MEMSET:
        replace(plan, number, link_ns(plan, number, XS_LINK_MEMSET), end);
        break;
    case XS_REPAIR_DEVICE_COPY:
        replace(plan, number, link_ns(plan, number, XS_LINK_D2D), end);
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

uint32_t xs_plan_number(const struct xs_plan *plan, const struct xs_repairable *item) {
    return find(plan, kind_of((enum xs_evidence_table)item->table), item->rows[0]);
}
