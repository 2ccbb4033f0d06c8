/* When the streams and the devices were through with what they were given, and what recorded events stood for, in the
 * measured run: the search for what was waited for goes through the calls with it. */
#ifndef XFERSPY_ANALYZER_REPLAY_QUEUES_H
#define XFERSPY_ANALYZER_REPLAY_QUEUES_H

#include "analyzer/base/hash.h"
#include "analyzer/savings/replay/model.h"

struct xs_queues {
    const struct xs_model *model;
    int64_t *streams;      /* by stream: the end of its last operation, 0: none */
    int64_t *all, *legacy; /* by device: of all streams, of the legacy default stream */
    int64_t *ordered;      /* by device: of it and all streams that are ordered with it */
    struct xs_hash events; /* handle to the end plus 1 of what was in the stream when it was recorded */
};

void xs_queues_begin(struct xs_queues *queues, const struct xs_model *model);
void xs_queues_end(struct xs_queues *queues);

/* The end of what the legacy default stream orders before something in the call's stream: for its own calls, that of
 * all streams that are ordered with it; for theirs, its own. */
int64_t xs_queues_default_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* The end of what is in the call's stream, with what the legacy default stream orders before it. */
int64_t xs_queues_stream_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* The end of what a wait for the call's stream waits for: the legacy default stream only if it is that one, since what
 * other streams do to wait for that is in them. */
int64_t xs_queues_stream_wait_end(const struct xs_queues *queues, const struct xs_model_call *call);

/* The end of what such a wait waits for, at the call's enter; `own`: the end of its own operations. 0: nothing. */
int64_t xs_queues_wait_end(const struct xs_queues *queues, const struct xs_model_call *call, int64_t own);

/* The end of what an operation of this call starts behind in the order of streams. */
int64_t xs_queues_before(const struct xs_queues *queues, const struct xs_model_call *call,
                         const struct xs_model_operation *operation);

/* An operation was given to its stream and will end then. */
void xs_queues_add(struct xs_queues *queues, const struct xs_model_call *call, int64_t end_ns);

/* What the call does to the order of streams: the recording of an event, or a stream's wait for one. */
void xs_queues_order(struct xs_queues *queues, const struct xs_model_call *call);

#endif
