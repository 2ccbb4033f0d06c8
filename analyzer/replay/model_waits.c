/* What each call and each operation waited for, by CUDA's rules and by the measured times; see model.h. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/queues.h"

/* The clocks of host and device agree to about that, and an end that is so much later than a start contradicts an
 * order. */
#define CLOCKS_NS 1500

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
    operation->behind_default = is_behind((call->is_legacy ? queues->all : queues->legacy)[call->device], operation);
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

/* Of calls whose documentation leaves it open: an allocation, a free, the end of a context. */
static enum xs_model_wait wait_of_other(const struct xs_model_call *call, int64_t all) {
    bool waited =
        all > call->enter_ns && call->return_ns >= all - CLOCKS_NS && call->return_ns - call->enter_ns > CLOCKS_NS;
    return waited ? XS_WAITS_DEVICE : XS_WAITS_NOT;
}

static void find_wait(const struct xs_queues *queues, struct xs_model_call *call, int64_t own, int64_t longest,
                      int64_t stream_end, int64_t all) {
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
        call->wait = (uint8_t)wait_of_other(call, all);
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

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct samples {
    int64_t *items;
    size_t count, capacity;
};

static void add(struct samples *samples, int64_t value) {
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity ? samples->capacity * 2 : 64;
        samples->items = xs_realloc(samples->items, samples->capacity * sizeof *samples->items);
    }
    samples->items[samples->count++] = value;
}

/* The median, and the samples are gone. */
static int64_t usual(struct samples *samples, int64_t otherwise) {
    int64_t median = otherwise;
    if (samples->count) {
        qsort(samples->items, samples->count, sizeof *samples->items, by_value);
        median = samples->items[samples->count / 2];
    }
    free(samples->items);
    *samples = (struct samples){0};
    return median;
}

/* The latency of an operation that had to wait, and the gap of one that had not. */
static void fill_operations(struct xs_model *model) {
    struct samples latencies[2][XS_ENGINES] = {0}, gaps = {0}; /* from the enter, from the return */
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct xs_model_operation *o = &model->operations[i];
        if (o->waited)
            add(&gaps, o->gap_ns);
        else
            add(&latencies[o->after_return][o->engine], o->latency_ns);
    }
    int64_t gap = usual(&gaps, USUAL_GAP_NS), latency[2][XS_ENGINES];
    for (unsigned from = 0; from < 2; from++)
        for (unsigned engine = 0; engine < XS_ENGINES; engine++)
            latency[from][engine] = usual(&latencies[from][engine], USUAL_LATENCY_NS);
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
    struct samples *samples = xs_realloc(NULL, (size_t)entry_points * sizeof *samples);
    for (int32_t e = 0; e < entry_points; e++)
        samples[e] = (struct samples){0};
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *c = &model->calls[i];
        if (!c->waited && samples[c->entry_point].count < SAMPLED)
            add(&samples[c->entry_point], c->rest_ns);
    }
    int64_t *own = xs_realloc(NULL, (size_t)entry_points * sizeof *own);
    for (int32_t e = 0; e < entry_points; e++)
        own[e] = usual(&samples[e], USUAL_OWN_NS);
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *c = &model->calls[i];
        bool is_staged = c->wait == XS_WAITS_STREAM && c->kind != XS_MODEL_SYNC; /* its work is behind its wait */
        c->own_ns = !c->waited || is_staged ? c->rest_ns : earlier(own[c->entry_point], c->return_ns - c->enter_ns);
    }
    free(samples);
    free(own);
}

void xs_model_find_waits(struct xs_model *model) {
    struct xs_queues queues;
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
        find_wait(&queues, call, own, longest, stream_end, all);
        xs_queues_order(&queues, call);
    }
    xs_queues_end(&queues);
    fill_operations(model);
    fill_calls(model);
}
