/* Keeps track of the times at which streams and devices ended their work in the measured run, and of the work that
 * recorded events cover. The search for waits uses it; that search goes through the calls in order. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_QUEUES_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_QUEUES_H

#include "analyzer/base/hash.h"
#include "analyzer/savings/replay/model.h"

struct xs_queues {
    const struct xs_model *model;
    int64_t *streams;      /* by stream: the end of its last operation; 0: none */
    int64_t *all, *legacy; /* by device: the end of the work in all streams, and in the legacy default stream */
    int64_t *ordered; /* by device: the end of the work in the legacy default stream and in all streams ordered with
                       * it */
    struct xs_latest {
        int64_t end_ns;
        int32_t stream;
    } * latest;            /* by thread: its latest operation */
    struct xs_hash events; /* maps a handle to the end, plus 1, of the work that was in the stream when the event was
                            * recorded */
};

void xs_queues_begin(struct xs_queues *queues, const struct xs_model *model);
void xs_queues_end(struct xs_queues *queues);

/* Returns the end of the work that the legacy default stream orders before new work in the call's stream. For a call in
 * the legacy default stream this is the end of all streams ordered with it; for a call in another stream, the end of
 * the legacy default stream. */
int64_t xs_queues_default_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* Returns the end of the work in the call's stream, including the work that the legacy default stream orders before new
 * work in this stream. */
int64_t xs_queues_stream_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* Returns the end of the work that a wait for the call's stream waits for. Only a wait for the legacy default stream
 * itself includes work of other streams. If work in the call's stream has waited for the legacy default stream, the end
 * of that work includes the wait. */
int64_t xs_queues_stream_wait_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* Returns the end of the work that the call waits for: the work that was requested before the call, or the call's own
 * operations, which end at `own`. 0: the call waits for nothing. */
int64_t xs_queues_wait_end(const struct xs_queues *queues, const struct xs_model_call *call, int64_t own);

/* Returns the end of the work that precedes an operation of this call in stream order. If the operation began before
 * the end of the work in its stream, or of the work that the legacy default stream orders before it, that work does not
 * count. */
int64_t xs_queues_before(const struct xs_queues *queues, const struct xs_model_call *call,
                         const struct xs_model_operation *operation);

/* Adds an operation that will end at `end_ns` to the call's stream. */
void xs_queues_add(struct xs_queues *queues, const struct xs_model_call *call, int64_t end_ns);

/* Applies the call to the order of streams: it records an event, or makes a stream wait for one. */
void xs_queues_order(struct xs_queues *queues, const struct xs_model_call *call);

#endif
