/* What each call and each operation waited for, by CUDA's rules and by the measured times; see model.h. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/evidence.h"
#include "analyzer/replay/queues.h"
#include "analyzer/replay/samples.h"

#define CLOCKS_NS XS_REPLAY_CLOCKS_NS

/* A copy from pageable memory has left it before the device has it all: the call returns so much, or a quarter of the
 * copy's time, before the copy's end. */
#define STAGED_NS 20000

/* Where nothing was measured that says it. */
#define USUAL_GAP_NS 1500
#define USUAL_LATENCY_NS 5000
#define USUAL_OWN_NS 2000

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* --- operations --- */

/* The order is kept where the times say so: `end` is of what would be before it. */
static bool is_behind(int64_t end, const struct xs_model_operation *operation) {
    return end <= operation->start_ns + CLOCKS_NS;
}

static void find_order(const struct xs_queues *queues, const struct xs_model_call *call,
                       struct xs_model_operation *operation) {
    operation->behind_stream = is_behind(queues->streams[call->stream], operation);
    operation->behind_default = is_behind(xs_queues_default_end(queues, call), operation);
    operation->behind_engine = operation->engine != XS_ENGINE_OTHER &&
                               is_behind(queues->engines[operation->device][operation->engine], operation);
    int64_t before = xs_queues_before(queues, call, operation);
    /* A copy that was staged first, or asked for, begins behind the call's own work. */
    operation->after_return = call->return_ns > call->enter_ns && call->return_ns <= operation->start_ns;
    int64_t given = operation->after_return ? call->return_ns : call->enter_ns;
    operation->waited = before > given;
    operation->gap_ns = operation->start_ns - before;
    operation->latency_ns = operation->start_ns - given;
}

/* --- calls --- */

/* The wait of a copy or memset: for its own end, which is not so where it returned before its start; or of a blocking
 * copy from pageable memory that was small enough to be staged, for what was in the stream before it. */
static enum xs_model_wait wait_of_copy(const struct xs_model_call *call, bool returned_first, int64_t own,
                                       int64_t longest, int64_t stream_end) {
    if (!returned_first && call->return_ns >= own - later(STAGED_NS, longest / 4))
        return XS_WAITS_OWN;
    bool behind_stream = stream_end > call->enter_ns && call->return_ns >= stream_end - CLOCKS_NS;
    return !call->is_async && behind_stream ? XS_WAITS_STREAM : XS_WAITS_NOT;
}

/* Of an allocation, a free, the end of a context. Freeing waits for the device (unless it is stream-ordered); of the
 * others no documentation says it. A function of which one call returned while the device worked on does not wait, and
 * a call that was no longer than usual has not waited where the device's end came by chance while it ran. */
static enum xs_model_wait wait_of_other(const struct xs_model_call *call, const struct xs_evidence_call *evidence,
                                        int64_t all) {
    int64_t took = call->return_ns - call->enter_ns;
    if (call->kind == XS_MODEL_FREE && !call->stream && !evidence->returns_first)
        return XS_WAITS_DEVICE;
    bool waited = all > call->enter_ns && call->return_ns >= all - CLOCKS_NS && took > CLOCKS_NS;
    bool is_usual = evidence->own_ns >= 0 && took <= evidence->own_ns * 3 / 2 + CLOCKS_NS;
    return waited && !is_usual ? XS_WAITS_DEVICE : XS_WAITS_NOT;
}

static void find_wait(const struct xs_queues *queues, const struct xs_evidence *evidence, struct xs_model_call *call,
                      int64_t own, int64_t longest, int64_t stream_end, int64_t all) {
    const struct xs_model_operation *first = call->operations ? &queues->model->operations[call->operation] : NULL;
    switch ((enum xs_model_kind)call->kind) {
    case XS_MODEL_TRANSFER:
    case XS_MODEL_MEMSET:
        call->wait = XS_WAITS_NOT;
        if (call->operations)
            call->wait = (uint8_t)wait_of_copy(call, first->after_return, own, longest, stream_end);
        break;
    case XS_MODEL_ALLOCATION:
    case XS_MODEL_FREE:
    case XS_MODEL_OTHER:
        call->wait = (uint8_t)wait_of_other(call, &evidence->calls[call->entry_point], all);
        break;
    case XS_MODEL_SYNC: /* as it was read */
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
    call->waited = call->wait != XS_WAITS_NOT && end > call->enter_ns;
    call->rest_ns = call->return_ns - (call->waited ? end : call->enter_ns);
}

/* --- what was not measured: the usual --- */

/* The latency of an operation that had to wait, and the gap of one that had not. */
static void fill_operations(struct xs_model *model) {
    struct xs_samples latencies[2][XS_ENGINES] = {0}, gaps = {0}; /* from the enter, from the return */
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct xs_model_operation *o = &model->operations[i];
        if (o->waited)
            xs_samples_add(&gaps, o->gap_ns);
        else
            xs_samples_add(&latencies[o->after_return][o->engine], o->latency_ns);
    }
    int64_t gap = xs_samples_usual(&gaps, USUAL_GAP_NS), latency[2][XS_ENGINES];
    for (unsigned from = 0; from < 2; from++)
        for (unsigned engine = 0; engine < XS_ENGINES; engine++)
            latency[from][engine] = xs_samples_usual(&latencies[from][engine], USUAL_LATENCY_NS);
    for (uint32_t i = 0; i < model->operation_count; i++) {
        struct xs_model_operation *o = &model->operations[i];
        if (o->waited)
            o->latency_ns = earlier(latency[o->after_return][o->engine], o->latency_ns);
        else
            o->gap_ns = gap;
    }
}

/* What calls of an entry point take that did not wait is what the others would take without waiting. */
static void fill_calls(struct xs_model *model) {
    enum { SAMPLED = 4096 };
    int32_t entry_points = 0;
    for (uint32_t i = 0; i < model->call_count; i++)
        entry_points = model->calls[i].entry_point >= entry_points ? model->calls[i].entry_point + 1 : entry_points;
    struct xs_samples *samples = xs_realloc(NULL, (size_t)entry_points * sizeof *samples);
    for (int32_t e = 0; e < entry_points; e++)
        samples[e] = (struct xs_samples){0};
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *c = &model->calls[i];
        if (!c->waited && samples[c->entry_point].count < SAMPLED)
            xs_samples_add(&samples[c->entry_point], c->rest_ns);
    }
    int64_t *own = xs_realloc(NULL, (size_t)entry_points * sizeof *own);
    for (int32_t e = 0; e < entry_points; e++)
        own[e] = xs_samples_usual(&samples[e], USUAL_OWN_NS);
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *c = &model->calls[i];
        bool is_staged = c->wait == XS_WAITS_STREAM && c->kind != XS_MODEL_SYNC; /* its work is behind its wait */
        c->own_ns = !c->waited || is_staged ? c->rest_ns : earlier(own[c->entry_point], c->return_ns - c->enter_ns);
    }
    free(samples);
    free(own);
}

void xs_model_find_waits(struct xs_model *model) {
    struct xs_evidence evidence;
    struct xs_queues queues;
    xs_evidence_find(&evidence, model);
    xs_queues_begin(&queues, model);
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *call = &model->calls[i];
        int64_t stream_end = xs_queues_stream_end(&queues, call), all = queues.all[call->device];
        int64_t own = 0, longest = 0;
        for (uint32_t k = 0; k < call->operations; k++) {
            struct xs_model_operation *operation = &model->operations[call->operation + k];
            find_order(&queues, call, operation);
            xs_queues_add(&queues, call, operation, operation->end_ns);
            own = later(own, operation->end_ns);
            longest = later(longest, operation->end_ns - operation->start_ns);
        }
        find_wait(&queues, &evidence, call, own, longest, stream_end, all);
        xs_queues_order(&queues, call);
    }
    xs_queues_end(&queues);
    xs_evidence_free(&evidence);
    fill_operations(model);
    fill_calls(model);
}
