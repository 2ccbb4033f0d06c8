/* Keeps the calls of the run and their changes; see replay_plan.h. */
#include "analyzer/savings/plan/replay_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/savings/plan/in_parts.h"
#include "analyzer/savings/plan/managed.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

/* The longest pause between a call and the start of its operation, or between two copies on an engine, if the operation
 * does not have to wait. */
enum { LONGEST_PAUSE_NS = 10000 };

uint32_t xs_plan_number_of(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row) {
    const struct xs_plan_row *found = xs_plan_rows_find(&plan->rows, kind, row);
    return found ? found->number : XS_PLAN_NONE;
}

bool xs_plan_is_of_batch(const struct xs_plan *plan, uint32_t number) {
    return number != XS_PLAN_NONE && number >= plan->model->call_count;
}

uint32_t xs_plan_call_of(const struct xs_plan *plan, uint32_t number) {
    return number == XS_PLAN_NONE ? XS_PLAN_NONE : xs_model_copy_at(plan->model, number).call;
}

uint32_t xs_plan_find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row) {
    return xs_plan_call_of(plan, xs_plan_number_of(plan, kind, row));
}

/* Reads the time per byte of peer copies of 1 MiB or more. Smaller copies do not count, because their fixed cost would
 * be counted as a cost per byte. */
static int read_peer_rate(struct xs_plan *plan, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    double ns = 0, bytes = 0;
    xs_scan_begin(
        &scan, trace,
        "SELECT start_ns, end_ns, " XS_BYTES_OF_COPY("") " FROM device_copy WHERE (kind = 10 OR " XS_IS_STAGED_LEG(
            "") ") AND bytes >= 1 << 20 AND start_ns IS NOT NULL",
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
    *plan = (struct xs_plan){.model = model, .replayed = model, .findings = findings};
    xs_plan_rows_begin(&plan->rows, model);
    plan->change_of = xs_zeroed(model->call_count, sizeof *plan->change_of);
    plan->copies = xs_zeroed(model->copy_count, sizeof *plan->copies);
    xs_statement_overheads(plan);
    xs_host_memory_begin(&plan->host_memory, plan);
    int status = xs_pinning_begin(&plan->pinning, trace, message);
    status = status < 0 ? status : read_peer_rate(plan, trace, message);
    status = status < 0 ? status : xs_pause_samples_read(&plan->samples, trace, findings->sites, message, NULL);
    xs_pause_samples_move(&plan->samples, model->parts);
    return status < 0 ? status : xs_managed_read(&plan->managed, plan, trace, message);
}

static void free_split(struct xs_plan *plan) {
    free(plan->split.calls);
    free(plan->split.operations);
    plan->split = (struct xs_model){0};
}

void xs_plan_end(struct xs_plan *plan) {
    xs_plan_rows_end(&plan->rows);
    xs_hash_free(&plan->overheads);
    xs_pinning_end(&plan->pinning);
    xs_host_memory_end(&plan->host_memory);
    xs_managed_free(plan->managed);
    xs_pause_samples_free(&plan->samples);
    free_split(plan);
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
    plan->replayed = plan->model;
    xs_host_memory_clear(&plan->host_memory);
    xs_managed_clear(plan->managed);
    plan->pinning.count = 0;
}

/* --- a stream for each thread --- */

/* An operation of a legacy default stream. */
struct turn {
    int64_t start_ns;
    uint32_t operation;
    int32_t stream, thread;
};

static int by_turn(const void *a, const void *b) {
    const struct turn *x = a, *y = b;
    return xs_compare(x->stream, y->stream) ?: xs_compare(x->start_ns, y->start_ns) ?:
                                               xs_compare(x->operation, y->operation);
}

/* Limits the pauses before an operation. `turn` has its place in the stream, `before` the operation that ran before it.
 * Threads that give work to one stream at the same time may do it in another order than their calls began. A pause that
 * was found from the calls may then contain another thread's work. */
static void limit_pauses(struct xs_model *split, const struct turn *before, const struct turn *turn) {
    struct xs_model_operation *operation = &split->operations[turn->operation];
    int64_t gap_ns = xs_later(0, turn->start_ns - split->operations[before->operation].end_ns);
    operation->gap_ns = operation->gap_ns < gap_ns ? operation->gap_ns : gap_ns;
    if (turn->thread == before->thread && !operation->waited && operation->behind_stream)
        return; /* nothing else was in the stream, so the pauses are the thread's own */
    if (operation->latency_ns > LONGEST_PAUSE_NS)
        operation->latency_ns = LONGEST_PAUSE_NS;
    if (operation->engine_gap_ns > LONGEST_PAUSE_NS)
        operation->engine_gap_ns = LONGEST_PAUSE_NS;
}

/* Finds where the threads take turns in a legacy default stream. `shared` gets the streams that several threads use. */
static void find_turns(struct xs_model *split, struct xs_hash *shared) {
    struct turn *turns = xs_realloc(NULL, ((size_t)split->operation_count + 1) * sizeof *turns);
    size_t count = 0;
    for (uint32_t i = 0; i < split->operation_count; i++) {
        const struct xs_model_call *call = &split->calls[split->operations[i].call];
        if (call->is_legacy)
            turns[count++] = (struct turn){split->operations[i].start_ns, i, call->stream, call->thread};
    }
    xs_sort(turns, count, sizeof *turns, by_turn);
    for (size_t i = 1; i < count; i++)
        if (turns[i].stream == turns[i - 1].stream && turns[i].thread != turns[i - 1].thread)
            *xs_hash_put(shared, (uint64_t)turns[i].stream, 0) = 1;
    for (size_t i = 1; i < count; i++)
        if (turns[i].stream == turns[i - 1].stream && xs_hash_find(shared, (uint64_t)turns[i].stream, 0))
            limit_pauses(split, &turns[i - 1], &turns[i]);
    free(turns);
}

/* Lets the device do the operation at the same time as operations of other threads. Every device can run one copy and
 * one kernel at a time, so no more than that is assumed. The trace does not show how much of the device a kernel needs,
 * or how fast copies of both directions are at the same time. */
static void take_turns(struct xs_model_operation *operation) {
    if (operation->engine == XS_ENGINE_D2H)
        operation->engine = XS_ENGINE_H2D;
    if (operation->engine == XS_ENGINE_OTHER)
        operation->behind_engine = true;
}

/* Returns the number of the thread's own stream, which takes the place of the shared one; 0: there is none. */
static int32_t own_stream(const struct xs_hash *numbers, int32_t thread, int32_t stream) {
    const uint64_t *number = xs_hash_find(numbers, (uint64_t)thread, (uint64_t)stream);
    return number ? (int32_t)*number : 0;
}

/* Makes the model in which each thread has its own stream. If a thread waited outside of CUDA for another thread, its
 * calls still come after the other thread's calls. For the least saving, the operations of the threads take turns. */
static void make_split(struct xs_plan *plan, enum xs_plan_end end) {
    const struct xs_model *model = plan->model;
    struct xs_model *split = &plan->split;
    struct xs_hash numbers = {0}, shared = {0}; /* numbers: maps a thread and a shared stream to the thread's own */
    uint32_t *handed_by = xs_zeroed((size_t)model->threads, sizeof *handed_by); /* by thread: as in xs_model_call */
    *split = *model;
    split->calls = xs_realloc(NULL, ((size_t)model->call_count + 1) * sizeof *split->calls);
    split->operations = xs_realloc(NULL, ((size_t)model->operation_count + 1) * sizeof *split->operations);
    if (model->call_count)
        memcpy(split->calls, model->calls, model->call_count * sizeof *model->calls);
    if (model->operation_count)
        memcpy(split->operations, model->operations, model->operation_count * sizeof *model->operations);
    find_turns(split, &shared);
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *call = &split->calls[i];
        uint32_t *by = &handed_by[call->thread];
        *by = call->handed_by ? call->handed_by : *by;
        if (!call->is_legacy || !xs_hash_find(&shared, (uint64_t)call->stream, 0))
            continue;
        if (!call->operations && !own_stream(&numbers, call->thread, call->stream)) {
            if (call->wait == XS_WAITS_STREAM) /* it waits for other threads' work, which is in other streams now */
                call->wait = XS_WAITS_DEVICE;
            continue;
        }
        uint64_t *number = xs_hash_put(&numbers, (uint64_t)call->thread, (uint64_t)call->stream);
        if (!*number)
            *number = (uint64_t)split->streams++;
        if (*by && call->operations) {
            call->behind = own_stream(&numbers, model->calls[*by - 1].thread, call->stream);
            *by = 0;
        }
        call->stream = own_stream(&numbers, call->thread, call->stream);
        call->is_legacy = false;
        for (uint32_t k = 0; k < call->operations && end == XS_PLAN_LEAST; k++)
            take_turns(&split->operations[call->operation + k]);
    }
    free(handed_by);
    xs_hash_free(&numbers);
    xs_hash_free(&shared);
}

void xs_plan_split_streams(struct xs_plan *plan, enum xs_plan_end end) {
    if (!plan->split.calls || plan->split_end != end) {
        free_split(plan); /* a run may have millions of calls, so only one copy is kept */
        make_split(plan, end);
        plan->split_end = end;
    }
    plan->replayed = &plan->split;
}

uint64_t xs_plan_saves(struct xs_plan *plan, int64_t run_ns) {
    int64_t more_ns = xs_model_ns(xs_model_length(xs_pinning_ns(&plan->pinning)) + plan->host_memory.instead_ns);
    size_t calls = (size_t)plan->model->call_count + 1;
    XS_SCOPED int64_t *returns = plan->in_parts ? xs_realloc(NULL, calls * sizeof *returns) : NULL;
    int64_t left_ns = xs_replay_run(plan->replayed, plan->change_of, plan->changes, returns);
    if (plan->in_parts) {
        double saved_ns = xs_in_parts_saved(plan->in_parts, plan->model, returns, left_ns) - (double)more_ns;
        return (uint64_t)fmin(fmax(0, saved_ns), (double)plan->in_parts->parts->run_ns);
    }
    left_ns += more_ns;
    return run_ns > left_ns ? (uint64_t)(run_ns - left_ns) : 0;
}

uint64_t xs_plan_saves_at(struct xs_plan *plan, int64_t run_ns, enum xs_plan_end end) {
    double saved_ns = (double)xs_plan_saves(plan, run_ns), error_ns = xs_in_parts_error(plan, end);
    return (uint64_t)(end == XS_PLAN_LEAST ? fmax(0, saved_ns - error_ns) : saved_ns + error_ns);
}

int64_t xs_plan_run_ns(const struct xs_plan *plan, int64_t run_ns) {
    return plan->in_parts ? plan->in_parts->parts->run_ns : run_ns;
}

/* --- changes --- */

/* Records that the call's copies no longer use host memory. For a batch call, these are the copies that are still
 * made. */
static void leave_host_memory(struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    if (c->kind == XS_MODEL_TRANSFER && !c->copies)
        xs_host_memory_leave(&plan->host_memory, plan, call);
    for (uint32_t i = c->copy; i < c->copy + c->copies; i++)
        if (!plan->copies[i].is_left_out)
            xs_host_memory_leave(&plan->host_memory, plan, plan->model->call_count + i);
}

bool xs_plan_changes_only_work(const struct xs_call_change *change) {
    return !change->dropped && !change->lasts && !change->unstaged && !change->beside && !change->is_node &&
           change->returns == XS_RETURNS_AS_IT_DID;
}

/* Returns the change of the program's work before a call that two repairs change: the larger of two cuts, which are
 * about the same work; else both. */
static int64_t both_before_ns(int64_t a, int64_t b) { return a <= 0 && b <= 0 ? (a < b ? a : b) : xs_model_ns(a + b); }

void xs_plan_change_use(struct xs_plan *plan, uint32_t call, const struct xs_call_change *to, bool without_host) {
    uint32_t number = plan->change_of[call];
    if (number) {
        struct xs_call_change *change = &plan->changes[number - 1];
        bool is_only_work = xs_plan_changes_only_work(change);
        if ((to->dropped && !change->dropped) || is_only_work) {
            int64_t before_ns = change->before_ns;
            *change = *to;
            if (is_only_work)
                change->before_ns = both_before_ns(before_ns, to->before_ns);
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

void xs_plan_change(struct xs_plan *plan, uint32_t call, const struct xs_call_change *to) {
    xs_plan_change_use(plan, call, to, to->dropped);
}

struct xs_call_change *xs_plan_alter(struct xs_plan *plan, uint32_t call) {
    xs_plan_change(plan, call, &(struct xs_call_change){0});
    struct xs_call_change *altered = &plan->changes[plan->change_of[call] - 1];
    return altered->dropped ? NULL : altered;
}

void xs_plan_shorten_work(struct xs_plan *plan, uint32_t call, int64_t ns) {
    xs_plan_change(plan, call, &(struct xs_call_change){0});
    struct xs_call_change *change = &plan->changes[plan->change_of[call] - 1];
    if (change->before_ns > -ns)
        change->before_ns = -ns;
}

int64_t xs_plan_operations_ns(const struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *c = &plan->model->calls[call];
    int64_t ns = 0;
    for (uint32_t k = 0; k < c->operations; k++)
        ns = xs_model_ns(ns + xs_model_lasted(&plan->model->operations[c->operation + k]));
    return ns;
}
