/* Finds waits for the copy that the same thread requested just before. Remembers the latest call of each thread if that
 * call is an asynchronous upload or download; a call that records an event in the stream of this copy does not count as
 * a later call. Memory use grows with the number of threads. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_WAITS_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_WAITS_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/account.h"
#include "analyzer/trace/streams.h"
#include "analyzer/trace/trace_event.h"
#include "schema/read/trace.h"

struct xs_waits {
    bool wanted;
    struct xs_accounts *accounts;
    const struct xs_streams *streams;
    struct xs_hash contexts; /* maps a context's handle to context.id */
    struct xs_hash threads;  /* by thread.id: struct last_copy, if the thread's latest call is an asynchronous upload or
                              * download */
};

/* If `wanted` is false, nothing will be remembered. The pointer `streams` is kept. Negative status: the message is set.
 * Always call xs_waits_end. */
int xs_waits_begin(struct xs_waits *waits, const struct xs_trace *trace, struct xs_accounts *accounts,
                   const struct xs_streams *streams, bool wanted, char *message, uint64_t *damaged);
void xs_waits_end(struct xs_waits *waits);

/* Returns the copy that this wait is for; NULL: none. The pointer is valid until xs_waits_pass is called. */
const struct xs_trace_event *xs_waits_look(const struct xs_waits *waits, const struct xs_trace_event *wait);

/* Must be called for each call after the detectors received it, even if the call did not run. Remembers this call as
 * the latest call of its thread. */
void xs_waits_pass(struct xs_waits *waits, const struct xs_trace_event *event);

/* Forgets the latest call of each thread, because the trace lacks calls between the last event and the next one. */
void xs_waits_forget(struct xs_waits *waits);

#endif
