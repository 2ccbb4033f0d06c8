/* Finds what each call and operation waited for, from CUDA's rules and the measured times; see model.h. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/sort.h"
#include "analyzer/savings/replay/durations.h"
#include "analyzer/savings/replay/queues.h"
#include "analyzer/savings/replay/unordered_streams.h"

#define CLOCKS_NS XS_REPLAY_CLOCKS_NS

/* The data of a copy from pageable memory has left that memory before all of it is on the device. The call may
 * therefore return this long, or a quarter of the copy's time, before the copy's end. */
#define STAGED_NS 20000

/* Values that are used if nothing was measured. */
#define USUAL_GAP_NS 1500
#define USUAL_LATENCY_NS 5000
#define USUAL_OWN_NS 2000
#define USUAL_NOTICE_NS 2000

/* --- operations --- */

/* True if the times confirm that the operation began after other work. `end` is the end of that work. */
static bool is_behind(int64_t end, const struct xs_model_operation *operation) {
    return end <= operation->start_ns + CLOCKS_NS;
}

/* Finds after which work an operation began. `engine_end` is the end of the copies on its engine that began before
 * it. */
static void find_order(const struct xs_queues *queues, const struct xs_model_call *call, int64_t engine_end,
                       struct xs_model_operation *operation) {
    operation->behind_stream = is_behind(queues->streams[call->stream], operation);
    operation->behind_default = is_behind(xs_queues_default_end(queues, call), operation);
    operation->behind_engine = operation->engine != XS_ENGINE_OTHER && is_behind(engine_end, operation);
    int64_t before = xs_queues_before(queues, call, operation);
    int64_t engine = operation->behind_engine ? engine_end : 0;
    /* A copy that began after the call returned was staged first, or only requested by the call, so it begins after the
     * call's own work. */
    operation->after_return = call->return_ns > call->enter_ns && call->return_ns <= operation->start_ns;
    int64_t given = operation->after_return ? call->return_ns : call->enter_ns;
    operation->waited = xs_later(before, engine) > given;
    operation->waited_for_engine = operation->waited && engine > before;
    operation->gap_ns = operation->start_ns - before;
    operation->engine_gap_ns = operation->start_ns - engine;
    operation->latency_ns = operation->start_ns - given;
}

/* --- engines --- */

/* The order of copies on an engine may differ from the order of the calls, because a copy that waits for a kernel lets
 * later copies run first. */
struct engine_use {
    int64_t start_ns;
    uint32_t operation;
    int32_t device;
    uint8_t engine;
};

static int by_engine(const void *a, const void *b) {
    const struct engine_use *x = a, *y = b;
    int order = xs_compare(x->device, y->device) ?: xs_compare(x->engine, y->engine);
    return order ?: xs_compare(x->start_ns, y->start_ns) ?: xs_compare(x->operation, y->operation);
}

/* Puts the operations of each engine together, which leaves them nearly in order. */
static struct engine_use *uses_by_engine(const struct xs_model *model) {
    size_t engines = (size_t)model->devices * XS_ENGINES;
    size_t *next = xs_zeroed(engines + 1, sizeof *next);
    struct engine_use *uses = xs_realloc(NULL, ((size_t)model->operation_count + 1) * sizeof *uses);
    for (uint32_t i = 0; i < model->operation_count; i++)
        next[(size_t)model->operations[i].device * XS_ENGINES + model->operations[i].engine + 1]++;
    for (size_t i = 1; i < engines; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct xs_model_operation *o = &model->operations[i];
        uses[next[(size_t)o->device * XS_ENGINES + o->engine]++] =
            (struct engine_use){o->start_ns, i, o->device, o->engine};
    }
    free(next);
    return uses;
}

/* Returns for each operation the latest end of the copies that began before it on its engine. */
static int64_t *find_engine_ends(const struct xs_model *model) {
    uint32_t count = model->operation_count;
    struct engine_use *uses = uses_by_engine(model);
    int64_t *ends = xs_realloc(NULL, (count + 1) * sizeof *ends), end = 0;
    xs_sort(uses, count, sizeof *uses, by_engine);
    for (uint32_t i = 0; i < count; i++) {
        if (i && (uses[i].device != uses[i - 1].device || uses[i].engine != uses[i - 1].engine))
            end = 0;
        ends[uses[i].operation] = end;
        end = xs_later(end, model->operations[uses[i].operation].end_ns);
    }
    free(uses);
    return ends;
}

/* --- calls --- */

/* Returns what the call of a copy or memset waits for. This is the operation's end, unless the call returned clearly
 * before that. A blocking upload that was staged waits instead for the work before it in the stream. */
static enum xs_model_wait wait_of_copy(const struct xs_model_call *call, const struct xs_model_operation *first,
                                       int64_t own, int64_t longest, int64_t stream_end) {
    if (!first->after_return && call->return_ns >= own - xs_later(STAGED_NS, longest / 4))
        return XS_WAITS_OWN;
    bool is_upload = call->kind == XS_MODEL_TRANSFER && first->engine == XS_ENGINE_H2D;
    return is_upload && !call->is_async && call->return_ns >= stream_end - CLOCKS_NS ? XS_WAITS_STREAM : XS_WAITS_NOT;
}

/* Returns what an allocation, a free or the end of a context waits for. A free waits for the device unless it is
 * stream-ordered, or unless one of the function's calls returned while the device was working. For other functions
 * there is no documentation; such a call waited if the device's work ended during it and it took longer than usual. If
 * it took the usual time, the device's work ended during it only by chance. */
static enum xs_model_wait wait_of_other(const struct xs_model_call *call, const struct xs_measured_call *measured,
                                        int64_t all) {
    int64_t took = call->return_ns - call->enter_ns;
    if (call->kind == XS_MODEL_FREE && !call->stream && !measured->returns_first)
        return XS_WAITS_DEVICE;
    bool waited = all > call->enter_ns && call->return_ns >= all - CLOCKS_NS && took > CLOCKS_NS;
    bool is_usual = measured->own_ns >= 0 && took <= measured->own_ns * 3 / 2 + CLOCKS_NS;
    return waited && !is_usual ? XS_WAITS_DEVICE : XS_WAITS_NOT;
}

/* Sets what the call waited for. If a stream had more work at the call's enter than the call can have waited for, then
 * another thread was giving it work at that moment, and its work came later than its call began. The work of the call's
 * own thread was certainly there. */
static void find_wait(const struct xs_queues *queues, const struct xs_measured_waits *measured,
                      struct xs_model_call *call, int64_t own, int64_t longest, int64_t stream_end, int64_t all) {
    const struct xs_model_operation *first = call->operations ? &queues->model->operations[call->operation] : NULL;
    switch ((enum xs_model_kind)call->kind) {
    case XS_MODEL_TRANSFER:
    case XS_MODEL_MEMSET:
        call->wait = XS_WAITS_NOT;
        if (call->operations)
            call->wait = (uint8_t)wait_of_copy(call, first, own, longest, stream_end);
        break;
    case XS_MODEL_ALLOCATION:
    case XS_MODEL_FREE:
    case XS_MODEL_OTHER:
        call->wait = (uint8_t)wait_of_other(call, &measured->calls[call->entry_point], all);
        break;
    case XS_MODEL_SYNC: /* set when the call was read */
        break;
    case XS_MODEL_LAUNCH:
    case XS_MODEL_RECORD:
    case XS_MODEL_WAIT_EVENT:
        call->wait = XS_WAITS_NOT;
        break;
    }
    int64_t end = call->wait == XS_WAITS_STREAM   ? stream_end
                  : call->wait == XS_WAITS_DEVICE ? all
                                                  : xs_queues_wait_end(queues, call, own);
    if (call->wait != XS_WAITS_OWN && end > call->return_ns + CLOCKS_NS) { /* the times contradict the rule */
        const struct xs_latest *latest = &queues->latest[call->thread];
        bool is_raced = call->kind == XS_MODEL_SYNC && call->wait == XS_WAITS_STREAM && latest->end_ns &&
                        latest->stream == call->stream && latest->end_ns <= call->return_ns + CLOCKS_NS;
        call->wait = is_raced ? XS_WAITS_LATEST : XS_WAITS_NOT;
        end = is_raced ? latest->end_ns : end;
    }
    call->waited = call->wait != XS_WAITS_NOT && end > call->enter_ns;
    call->rest_ns = call->return_ns - (call->waited ? end : call->enter_ns);
}

/* --- usual values for what was not measured --- */

/* Finds the usual latencies of operations that did not have to wait. The first index is true if they are counted from
 * the call's return, the second is the engine. */
static void find_latencies(const struct xs_model *model, int64_t latencies[2][XS_ENGINES]) {
    struct xs_durations samples[2][XS_ENGINES] = {0};
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct xs_model_operation *o = &model->operations[i];
        if (!o->waited)
            xs_durations_add(&samples[o->after_return][o->engine], o->latency_ns);
    }
    for (unsigned from = 0; from < 2; from++)
        for (unsigned engine = 0; engine < XS_ENGINES; engine++)
            latencies[from][engine] = xs_durations_usual(&samples[from][engine], USUAL_LATENCY_NS);
}

/* Sets the latency of operations that had to wait, and the gaps of operations that were not held up, to the usual
 * value, or to the measured value if that is less. An operation that began as early as it would have without a wait
 * does not show how long the gap is. */
static void fill_operations(struct xs_model *model) {
    struct xs_durations gaps = {0}, engine_gaps = {0};
    int64_t latencies[2][XS_ENGINES];
    find_latencies(model, latencies);
    for (uint32_t i = 0; i < model->operation_count; i++) {
        struct xs_model_operation *o = &model->operations[i];
        int64_t latency = latencies[o->after_return][o->engine];
        o->is_held_up = o->waited && o->latency_ns > latency;
        if (o->is_held_up)
            xs_durations_add(o->waited_for_engine ? &engine_gaps : &gaps,
                             o->waited_for_engine ? o->engine_gap_ns : o->gap_ns);
        if (o->waited)
            o->latency_ns = xs_earlier(latency, o->latency_ns);
    }
    int64_t gap = xs_durations_usual(&gaps, USUAL_GAP_NS), engine_gap = xs_durations_usual(&engine_gaps, USUAL_GAP_NS);
    for (uint32_t i = 0; i < model->operation_count; i++) {
        struct xs_model_operation *o = &model->operations[i];
        if (!o->is_held_up || o->waited_for_engine)
            o->gap_ns = xs_earlier(gap, o->gap_ns);
        if (!o->is_held_up || !o->waited_for_engine)
            o->engine_gap_ns = xs_earlier(engine_gap, o->engine_gap_ns);
    }
}

/* How long calls of an entry point take. */
struct entry_point {
    struct xs_durations own;               /* times of calls that did not wait */
    int64_t own_ns;                        /* median of these times; -1: there are none */
    int64_t least_own_ns, least_staged_ns; /* for staged copies: the shortest time without a wait, and the shortest time
                                            * from the end of a wait */
};
enum { SAMPLED = 4096 };

/* The longest time that a wait takes if there is nothing to wait for. A wait that took longer waited for something that
 * the model does not know. */
enum { LONGEST_OWN_WAIT_NS = 50000 };

static void sample(struct entry_point *e, const struct xs_model_call *call, struct xs_durations *allocations) {
    if (call->row < 0 || (call->kind == XS_MODEL_SYNC && call->rest_ns > LONGEST_OWN_WAIT_NS))
        return;
    if (call->kind == XS_MODEL_ALLOCATION && !call->waited && allocations->count < SAMPLED)
        xs_durations_add(allocations, call->rest_ns);
    if (!call->waited && e->own.count < SAMPLED)
        xs_durations_add(&e->own, call->rest_ns);
    if (xs_model_is_staged(call)) {
        int64_t *least = call->waited ? &e->least_staged_ns : &e->least_own_ns;
        *least = xs_earlier(*least, call->rest_ns);
    }
}

/* Returns how long a call would take without waiting. Usually this is the time of calls of its entry point that did not
 * wait. But the own work of a staged copy depends on the copy's size, so it is measured from the end of the call's
 * wait. The call's work before the wait is added; it is the difference between the shortest staged copy without a wait
 * and the shortest one from the end of its wait. */
static int64_t own_of(const struct entry_point *e, const struct xs_model_call *call, int64_t allocation_ns) {
    if (!call->waited)
        return call->rest_ns;
    if (!xs_model_is_staged(call)) {
        int64_t otherwise = call->kind == XS_MODEL_FREE ? allocation_ns : USUAL_OWN_NS;
        return xs_earlier(e->own_ns >= 0 ? e->own_ns : otherwise, call->return_ns - call->enter_ns);
    }
    bool is_known = e->least_own_ns != INT64_MAX && e->least_staged_ns != INT64_MAX;
    int64_t before = is_known ? xs_later(0, e->least_own_ns - e->least_staged_ns) : 0;
    before = xs_earlier(before, USUAL_OWN_NS); /* the copies that did not wait may have been larger */
    return xs_earlier(xs_later(0, call->rest_ns + before), call->return_ns - call->enter_ns);
}

/* Sets the own times of calls. `count` is the largest number of an entry point plus 1. */
static void fill_calls(struct xs_model *model, int32_t count) {
    struct xs_durations allocations = {0};
    struct entry_point *entry_points = xs_realloc(NULL, (size_t)(count + 1) * sizeof *entry_points);
    for (int32_t e = 0; e < count; e++)
        entry_points[e] = (struct entry_point){.least_own_ns = INT64_MAX, .least_staged_ns = INT64_MAX};
    for (uint32_t i = 0; i < model->call_count; i++)
        sample(&entry_points[model->calls[i].entry_point], &model->calls[i], &allocations);
    for (int32_t e = 0; e < count; e++)
        entry_points[e].own_ns = xs_durations_usual(&entry_points[e].own, -1);
    /* If all frees had to wait, a free is assumed to take as long as an allocation. */
    int64_t allocation_ns = xs_durations_usual(&allocations, USUAL_OWN_NS);
    for (uint32_t i = 0; i < model->call_count; i++)
        model->calls[i].own_ns = own_of(&entry_points[model->calls[i].entry_point], &model->calls[i], allocation_ns);
    free(entry_points);
}

static void fill_notice(struct xs_model *model) {
    struct xs_durations notices = {0};
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].kind == XS_MODEL_SYNC && model->calls[i].waited && model->calls[i].row >= 0)
            xs_durations_add(&notices, model->calls[i].rest_ns);
    model->notice_ns = xs_durations_usual(&notices, USUAL_NOTICE_NS);
}

static void link_calls(struct xs_model *model) {
    uint32_t *latest = xs_realloc(NULL, (size_t)model->threads * sizeof *latest);
    for (int32_t t = 0; t < model->threads; t++)
        latest[t] = XS_NO_CALL;
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *call = &model->calls[i];
        call->previous = latest[call->thread];
        call->next = XS_NO_CALL;
        if (call->previous != XS_NO_CALL)
            model->calls[call->previous].next = i;
        latest[call->thread] = i;
    }
    free(latest);
}

void xs_model_find_waits(struct xs_model *model) {
    struct xs_measured_waits measured;
    struct xs_queues queues;
    link_calls(model);
    xs_measured_waits_find(&measured, model);
    xs_queues_begin(&queues, model);
    int64_t *engine_ends = find_engine_ends(model);
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *call = &model->calls[i];
        int64_t stream_end = xs_queues_stream_wait_end(&queues, call), all = queues.all[call->device];
        int64_t own = 0, longest = 0;
        for (uint32_t k = 0; k < call->operations; k++) {
            struct xs_model_operation *operation = &model->operations[call->operation + k];
            find_order(&queues, call, engine_ends[call->operation + k], operation);
            xs_queues_add(&queues, call, operation->end_ns);
            own = xs_later(own, operation->end_ns);
            longest = xs_later(longest, operation->end_ns - operation->start_ns);
        }
        find_wait(&queues, &measured, call, own, longest, stream_end, all);
        xs_queues_order(&queues, call);
    }
    xs_queues_end(&queues);
    free(engine_ends);
    fill_operations(model);
    fill_calls(model, measured.entry_points);
    xs_measured_waits_free(&measured);
    fill_notice(model);
}
