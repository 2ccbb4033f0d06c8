/* Decides whether an asynchronous copy blocked the host until it ended, which happens if its host memory is pageable:
 * docs/rules/analysis.md, `fake-async`. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_BLOCKED_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_BLOCKED_H

#include "analyzer/trace/link.h"
#include "analyzer/trace/trace_event.h"

enum xs_blocked {
    XS_BLOCKED_NOT,
    XS_BLOCKED,
    XS_BLOCKED_UNKNOWN, /* the trace has no device times, and the copy is an upload that may have been staged, or no
                         * rate is known to compare with */
};

/* Decides this for an upload or download that an asynchronous entry point requested. */
enum xs_blocked xs_copy_blocked(const struct xs_trace_event *transfer, const struct xs_link_model *link);

/* True if the host was blocked for at least twice the copy's own time. If it was blocked for less, the copy is what
 * takes the time, and not the wait. */
static inline bool xs_is_mostly_wait(uint64_t host_ns, uint64_t copy_ns) { return host_ns / 2 >= copy_ns; }

/* Returns the download that made the host wait, if this event is the one in which the host waited: the download itself,
 * or the wait for it that its thread made next. `wait` gets this wait; NULL: the download's own call blocked the host.
 * Returns NULL if the event is no such download or wait. */
const struct xs_trace_event *xs_awaited_download(const struct xs_trace_event *event, const struct xs_link_model *link,
                                                 const struct xs_trace_event **wait);

#endif
