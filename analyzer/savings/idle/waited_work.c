/* Finds what waits waited for; see waited_work.h. */
#include "analyzer/savings/idle/waited_work.h"

#include <stdlib.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/savings/idle/waits_paid.h"
#include "analyzer/trace/scan.h"

/* The time that one piece of work takes of the waits of a place. */
struct sum {
    size_t row;
    struct xs_waited_work work;
};

struct finding {
    struct xs_waits_paid *waits;
    const struct xs_model *model;
    const uint32_t *kernels;                 /* by call */
    const struct xs_model_operation **order; /* by device, then by end */
    struct xs_hash rows;                     /* maps the place of a call to the index of its row plus 1 */
    struct xs_hash sums;                     /* maps row and work to a struct sum */
};

/* --- one wait --- */

/* Returns the work of an operation. Its `ns` is 0. */
static struct xs_waited_work work_of(const struct finding *f, const struct xs_model_operation *operation,
                                     uint32_t wait) {
    const struct xs_model_call *call = &f->model->calls[operation->call];
    struct xs_waited_work work = {.kind = XS_WAITED_COPY};
    if (call->kind == XS_MODEL_LAUNCH) {
        bool is_graph = f->kernels[operation->call] == XS_WAITED_IS_GRAPH;
        work.kind = is_graph ? XS_WAITED_GRAPH : XS_WAITED_KERNEL;
        work.kernel = is_graph ? 0 : f->kernels[operation->call];
    } else if (operation->call == wait) {
        work.kind = XS_WAITED_OWN;
    } else if (call->kind == XS_MODEL_MEMSET) {
        work.kind = XS_WAITED_MEMSET;
    } else {
        work.copy = xs_idle_call_of(f->model, operation->call);
    }
    return work;
}

static void add(struct finding *f, size_t row, const struct xs_waited_work *work, int64_t ns) {
    uint64_t copy = work->copy.known ? (uint64_t)work->copy.site << 8 | work->copy.direction : 0;
    struct sum *sum = xs_hash_item(&f->sums, row | (uint64_t)work->kind << 56, copy << 32 ^ work->kernel, sizeof *sum);
    if (!sum->work.ns)
        *sum = (struct sum){.row = row, .work = *work};
    sum->work.ns = xs_sum(sum->work.ns, (uint64_t)ns);
}

/* True if the wait has to wait for the work of the operation's call. */
static bool is_awaited(const struct xs_model_call *wait, const struct xs_model_call *call) {
    bool is_of_stream = wait->wait == XS_WAITS_STREAM || wait->wait == XS_WAITS_OWN || wait->wait == XS_WAITS_LATEST;
    return !is_of_stream || !wait->stream || wait->stream == call->stream || (wait->is_legacy && !call->is_apart);
}

static bool ends_before(const void *item, const void *key) {
    const struct xs_model_operation *x = *(const struct xs_model_operation *const *)item, *y = key;
    return (xs_compare(x->device, y->device) ?: xs_compare(x->end_ns, y->end_ns)) < 0;
}

/* Returns the number of operations in the order up to the last one that can run when the wait returns. The clocks of
 * host and device differ a little, so an operation may seem to end after the wait for it. */
static size_t first_to_look_at(const struct finding *f, const struct xs_model_call *wait) {
    const struct xs_model_operation end = {.device = wait->device, .end_ns = wait->return_ns};
    size_t next = xs_search(f->order, f->model->operation_count, sizeof *f->order, ends_before, &end);
    while (next < f->model->operation_count && f->order[next]->device == wait->device &&
           f->order[next]->start_ns < wait->return_ns)
        next++;
    return next;
}

/* Goes back from the return of the wait to its enter. Each moment belongs to the operation that ends last. What is left
 * after MOST_OPERATIONS of them, or after MOST_OTHERS that are not waited for, is one piece of work. */
static void take_wait(struct finding *f, size_t row, uint32_t index) {
    enum { MOST_OPERATIONS = 256, MOST_OTHERS = 4096 };
    const struct xs_model_call *wait = &f->model->calls[index];
    int64_t until_ns = wait->return_ns;
    size_t awaited = 0, others = 0;
    for (size_t next = first_to_look_at(f, wait); next && until_ns > wait->enter_ns;) {
        const struct xs_model_operation *operation = f->order[--next];
        if (operation->device != wait->device || operation->end_ns <= wait->enter_ns)
            return;
        if (awaited == MOST_OPERATIONS || others == MOST_OTHERS) {
            add(f, row, &(struct xs_waited_work){.kind = XS_WAITED_EARLIER},
                xs_earlier(operation->end_ns, until_ns) - wait->enter_ns);
            return;
        }
        int64_t from_ns = xs_later(operation->start_ns, wait->enter_ns);
        int64_t to_ns = xs_earlier(operation->end_ns, until_ns);
        bool is_awaited_for = is_awaited(wait, &f->model->calls[operation->call]);
        awaited += is_awaited_for;
        others += !is_awaited_for;
        if (to_ns <= from_ns || !is_awaited_for)
            continue;
        struct xs_waited_work work = work_of(f, operation, index);
        add(f, row, &work, to_ns - from_ns);
        until_ns = from_ns;
    }
}

/* --- rows --- */

static int by_device_and_end(const void *a, const void *b) {
    const struct xs_model_operation *const *x = a, *const *y = b;
    return xs_compare((*x)->device, (*y)->device) ?: xs_compare((*x)->end_ns, (*y)->end_ns) ?: (*x > *y) - (*x < *y);
}

/* Keeps the largest pieces of work of a row, the largest first. */
static void keep(struct xs_wait_row *row, const struct xs_waited_work *work) {
    size_t at = row->work_count;
    while (at && row->work[at - 1].ns < work->ns)
        at--;
    if (at == XS_WAITED_WORKS)
        return;
    row->work_count += row->work_count < XS_WAITED_WORKS;
    for (size_t i = row->work_count - 1; i > at; i--)
        row->work[i] = row->work[i - 1];
    row->work[at] = *work;
}

void xs_waited_work_find(struct xs_waits_paid *waits, const struct xs_model *model, const uint32_t *kernels) {
    struct finding f = {.waits = waits, .model = model, .kernels = kernels};
    f.order = xs_realloc(NULL, ((size_t)model->operation_count + 1) * sizeof *f.order);
    for (size_t i = 0; i < model->operation_count; i++)
        f.order[i] = &model->operations[i];
    xs_sort(f.order, model->operation_count, sizeof *f.order, by_device_and_end);
    for (size_t i = 0; i < waits->count; i++)
        *xs_hash_put(&f.rows, waits->rows[i].call.site, waits->rows[i].call.direction) = i + 1;
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        const uint64_t *row = xs_model_waits(call) ? xs_hash_find(&f.rows, call->site, call->direction) : NULL;
        if (row)
            take_wait(&f, *row - 1, i);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&f.sums, entry));) {
        const struct sum *sum = (const struct sum *)(uintptr_t)entry->value;
        struct xs_wait_row *row = &waits->rows[sum->row];
        row->work_ns = xs_sum(row->work_ns, sum->work.ns);
        keep(row, &sum->work);
    }
    xs_hash_free(&f.rows);
    xs_hash_free(&f.sums);
    free(f.order);
}

/* --- the kernels of a trace --- */

struct launched {
    uint32_t correlation, call;
};

static int by_correlation(const void *a, const void *b) {
    const struct launched *x = a, *y = b;
    return xs_compare(x->correlation, y->correlation) ?: xs_compare(x->call, y->call);
}

static bool is_earlier(const void *item, const void *key) {
    return ((const struct launched *)item)->correlation < *(const uint32_t *)key;
}

static int read_kernels(uint32_t *kernels, const struct xs_model *model, const struct xs_trace *trace, char *message) {
    struct launched *launches = xs_realloc(NULL, ((size_t)model->call_count + 1) * sizeof *launches);
    struct xs_scan scan;
    size_t count = 0;
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].kind == XS_MODEL_LAUNCH && model->calls[i].correlation)
            launches[count++] = (struct launched){model->calls[i].correlation, i};
    xs_sort(launches, count, sizeof *launches, by_correlation);
    xs_scan_begin(&scan, trace,
                  "SELECT correlation, name, graph_node IS NOT NULL FROM device_kernel WHERE end_ns IS NOT NULL",
                  message, NULL);
    while (xs_scan_row(&scan)) {
        uint32_t correlation = xs_scan_correlation(&scan, 0);
        int64_t name = xs_scan_int(&scan, 1);
        size_t at = xs_search(launches, count, sizeof *launches, is_earlier, &correlation);
        if (at == count || launches[at].correlation != correlation)
            continue;
        if (xs_scan_int(&scan, 2))
            kernels[launches[at].call] = XS_WAITED_IS_GRAPH;
        else if (name > 0 && name < XS_WAITED_IS_GRAPH)
            kernels[launches[at].call] = (uint32_t)name;
    }
    free(launches);
    return xs_scan_end(&scan);
}

static int read_names(struct xs_waits_paid *waits, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT id, name FROM kernel_name", message, NULL);
    while (xs_scan_row(&scan))
        for (size_t i = 0; i < waits->count; i++)
            for (size_t k = 0; k < waits->rows[i].work_count; k++) {
                struct xs_waited_work *work = &waits->rows[i].work[k];
                if (work->kernel && !work->name && work->kernel == xs_scan_int(&scan, 0))
                    work->name = xs_scan_name(&scan, 1);
            }
    return xs_scan_end(&scan);
}

int xs_waited_work_read(struct xs_waits_paid *waits, const struct xs_model *model, const struct xs_trace *trace,
                        char *message) {
    XS_SCOPED uint32_t *kernels = xs_zeroed((size_t)model->call_count + 1, sizeof *kernels);
    int status = read_kernels(kernels, model, trace, message);
    if (status < 0)
        return status;
    xs_waited_work_find(waits, model, kernels);
    return read_names(waits, trace, message);
}
