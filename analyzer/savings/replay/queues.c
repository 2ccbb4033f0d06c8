/* Keeps track of streams and events in the order of the calls; see queues.h. */
#include "analyzer/savings/replay/queues.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"

void xs_queues_begin(struct xs_queues *queues, const struct xs_model *model) {
    size_t streams = (size_t)model->streams, devices = (size_t)model->devices;
    *queues = (struct xs_queues){.model = model,
                                 .streams = xs_zeroed(streams, sizeof *queues->streams),
                                 .all = xs_zeroed(devices, sizeof *queues->all),
                                 .legacy = xs_zeroed(devices, sizeof *queues->legacy),
                                 .ordered = xs_zeroed(devices, sizeof *queues->ordered),
                                 .latest = xs_zeroed((size_t)model->threads, sizeof *queues->latest)};
}

void xs_queues_end(struct xs_queues *queues) {
    free(queues->streams);
    free(queues->all);
    free(queues->legacy);
    free(queues->ordered);
    free(queues->latest);
    xs_hash_free(&queues->events);
    *queues = (struct xs_queues){0};
}

int64_t xs_queues_default_end(const struct xs_queues *queues, const struct xs_model_call *call) {
    if (call->is_apart)
        return 0;
    return (call->is_legacy ? queues->ordered : queues->legacy)[call->device];
}

int64_t xs_queues_stream_end(const struct xs_queues *queues, const struct xs_model_call *call) {
    return xs_later(queues->streams[call->stream], xs_queues_default_end(queues, call));
}

int64_t xs_queues_stream_wait_end(const struct xs_queues *queues, const struct xs_model_call *call) {
    return call->is_legacy ? xs_queues_stream_end(queues, call) : queues->streams[call->stream];
}

int64_t xs_queues_wait_end(const struct xs_queues *queues, const struct xs_model_call *call, int64_t own) {
    switch ((enum xs_model_wait)call->wait) {
    case XS_WAITS_OWN:
        return own;
    case XS_WAITS_STREAM:
        return xs_queues_stream_wait_end(queues, call);
    case XS_WAITS_LATEST:
        return queues->latest[call->thread].end_ns;
    case XS_WAITS_EVENT: {
        const uint64_t *end = xs_hash_find(&queues->events, call->object, 0);
        return end ? (int64_t)*end - 1 : 0;
    }
    case XS_WAITS_DEVICE:
        return queues->all[call->device];
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
        end = xs_later(end, xs_queues_default_end(queues, call));
    return end;
}

static void raise(int64_t *end, int64_t to) { *end = xs_later(*end, to); }

/* Records work in the call's stream that ends at `end_ns`. */
static void put(struct xs_queues *queues, const struct xs_model_call *call, int64_t end_ns) {
    raise(&queues->streams[call->stream], end_ns);
    if (call->is_legacy)
        raise(&queues->legacy[call->device], end_ns);
    if (!call->is_apart)
        raise(&queues->ordered[call->device], end_ns);
}

void xs_queues_add(struct xs_queues *queues, const struct xs_model_call *call, int64_t end_ns) {
    put(queues, call, end_ns);
    raise(&queues->all[call->device], end_ns);
    queues->latest[call->thread] = (struct xs_latest){end_ns, call->stream};
}

void xs_queues_order(struct xs_queues *queues, const struct xs_model_call *call) {
    if (call->kind != XS_MODEL_RECORD && call->kind != XS_MODEL_WAIT_EVENT)
        return;
    int64_t end_ns = xs_queues_stream_end(queues, call);
    if (call->kind == XS_MODEL_RECORD) {
        *xs_hash_put(&queues->events, call->object, 0) = (uint64_t)end_ns + 1;
    } else {
        const uint64_t *event = xs_hash_find(&queues->events, call->object, 0);
        if (event)
            end_ns = xs_later(end_ns, (int64_t)*event - 1);
    }
    put(queues, call, end_ns); /* in the legacy default stream, a record or a wait delays other streams, too */
}
