/* Streams, engines and events in the order of the calls; see queues.h. */
#include "analyzer/replay/queues.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t *zeros(int32_t count) {
    int64_t *items = xs_realloc(NULL, (size_t)count * sizeof *items);
    memset(items, 0, (size_t)count * sizeof *items);
    return items;
}

void xs_queues_begin(struct xs_queues *queues, const struct xs_model *model) {
    size_t bytes = (size_t)model->devices * sizeof *queues->engines;
    *queues = (struct xs_queues){.model = model,
                                 .streams = zeros(model->streams),
                                 .all = zeros(model->devices),
                                 .legacy = zeros(model->devices),
                                 .beside = zeros(model->devices),
                                 .engines = xs_realloc(NULL, bytes)};
    memset(queues->engines, 0, bytes);
}

void xs_queues_end(struct xs_queues *queues) {
    free(queues->streams);
    free(queues->all);
    free(queues->legacy);
    free(queues->beside);
    free(queues->engines);
    xs_hash_free(&queues->events);
    *queues = (struct xs_queues){0};
}

int64_t xs_queues_stream_end(const struct xs_queues *queues, const struct xs_model_call *call) {
    return call->is_legacy ? queues->all[call->device]
                           : later(queues->streams[call->stream], queues->legacy[call->device]);
}

int64_t xs_queues_wait_end(const struct xs_queues *queues, const struct xs_model_call *call, int64_t own) {
    switch ((enum xs_model_wait)call->wait) {
    case XS_WAITS_OWN:
        return own;
    case XS_WAITS_STREAM:
        return later(xs_queues_stream_end(queues, call), queues->beside[call->device]);
    case XS_WAITS_EVENT: {
        const uint64_t *end = xs_hash_find(&queues->events, call->object, 0);
        return end ? (int64_t)*end - 1 : 0;
    }
    case XS_WAITS_DEVICE:
        return later(queues->all[call->device], queues->beside[call->device]);
    case XS_WAITS_NOT:
        break;
    }
    return 0;
}

int64_t xs_queues_before(const struct xs_queues *queues, const struct xs_model_call *call,
                         const struct xs_model_operation *operation) {
    int64_t end = 0;
    if (operation->behind_stream)
        end = queues->streams[call->stream];
    if (operation->behind_default)
        end = later(end, (call->is_legacy ? queues->all : queues->legacy)[call->device]);
    if (operation->behind_engine)
        end = later(end, queues->engines[operation->device][operation->engine]);
    return end;
}

int64_t xs_queues_before_beside(const struct xs_queues *queues, const struct xs_model_call *call,
                                const struct xs_model_operation *operation) {
    if (operation->engine == XS_ENGINE_H2D)
        return queues->engines[operation->device][operation->engine];
    return xs_queues_before(queues, call, operation);
}

static void raise(int64_t *end, int64_t to) { *end = later(*end, to); }

void xs_queues_add(struct xs_queues *queues, const struct xs_model_call *call,
                   const struct xs_model_operation *operation, int64_t end_ns) {
    raise(&queues->streams[call->stream], end_ns);
    raise(&queues->all[call->device], end_ns);
    raise(&queues->engines[operation->device][operation->engine], end_ns);
    if (call->is_legacy)
        raise(&queues->legacy[call->device], end_ns);
}

void xs_queues_add_beside(struct xs_queues *queues, const struct xs_model_call *call,
                          const struct xs_model_operation *operation, int64_t end_ns) {
    if (operation->engine != XS_ENGINE_D2H) {
        xs_queues_add(queues, call, operation, end_ns);
        return;
    }
    raise(&queues->beside[call->device], end_ns);
    raise(&queues->engines[operation->device][operation->engine], end_ns);
}

void xs_queues_order(struct xs_queues *queues, const struct xs_model_call *call) {
    if (call->kind == XS_MODEL_RECORD)
        *xs_hash_put(&queues->events, call->object, 0) = (uint64_t)xs_queues_stream_end(queues, call) + 1;
    if (call->kind == XS_MODEL_WAIT_EVENT) {
        const uint64_t *end = xs_hash_find(&queues->events, call->object, 0);
        if (end)
            raise(&queues->streams[call->stream], (int64_t)*end - 1);
    }
}
