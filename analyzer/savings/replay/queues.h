/* Tracks when the streams and devices were through with their work, and what recorded events stood for, in the measured
 * run. The search for waits goes through the calls with it. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_QUEUES_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_QUEUES_H

#include "analyzer/base/hash.h"
#include "analyzer/savings/replay/model.h"

struct xs_queues {
    const struct xs_model *model;
    int64_t *streams;      /* by stream: the end of its last operation, 0: none */
    int64_t *all, *legacy; /* by device: the end of all streams, and of the legacy default stream */
    int64_t *ordered;      /* by device: the end of the legacy default stream and all streams ordered with it */
    struct xs_hash events; /* handle to the end, plus 1, of what was in the stream at its record */
};

void xs_queues_begin(struct xs_queues *queues, const struct xs_model *model);
void xs_queues_end(struct xs_queues *queues);

/* Returns the end of what the legacy default stream orders before something in the call's stream: for that stream's own
 * calls, the end of all streams ordered with it; for other streams' calls, its own end. */
int64_t xs_queues_default_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* Returns the end of what is in the call's stream, with what the legacy default stream orders before it. */
int64_t xs_queues_stream_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* Returns the end of what a wait for the call's stream waits for. Only a wait for the legacy default stream itself
 * includes other streams: what they do to wait for it is in them. */
int64_t xs_queues_stream_wait_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* Returns the end of what the call waits for, at its enter; `own`: the end of its own operations. 0: nothing. */
int64_t xs_queues_wait_end(const struct xs_queues *queues, const struct xs_model_call *call, int64_t own);

/* Returns the end of what an operation of this call starts behind in stream order. */
int64_t xs_queues_before(const struct xs_queues *queues, const struct xs_model_call *call,
                         const struct xs_model_operation *operation);

/* Adds an operation that will end at `end_ns` to the call's stream. */
void xs_queues_add(struct xs_queues *queues, const struct xs_model_call *call, int64_t end_ns);

/* Applies the call to the order of streams: it records an event, or makes a stream wait for one. */
void xs_queues_order(struct xs_queues *queues, const struct xs_model_call *call);

#endif
