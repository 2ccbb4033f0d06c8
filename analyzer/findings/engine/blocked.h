/* Decides whether an asynchronous copy blocked the host until it ended, which happens if its host memory is pageable:
 * docs/rules/analysis.md, `fake-async`. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_BLOCKED_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_BLOCKED_H

#include "analyzer/trace/link.h"
#include "analyzer/trace/trace_event.h"

enum xs_blocked {
    XS_BLOCKED_NOT,
    XS_BLOCKED,
    XS_BLOCKED_UNKNOWN, /* the trace has no device time of the copy, and either the copy is an upload that may have been
                         * staged, or the rate of copies in this direction is not known */
};

/* `transfer` is an upload or a download that an asynchronous entry point requested. */
enum xs_blocked xs_copy_blocked(const struct xs_trace_event *transfer, const struct xs_link_model *link);

/* True if the host was blocked for at least twice the copy's own time. If the host was blocked for less time, most of
 * this time is the copy itself, and not the wait for earlier work. */
static inline bool xs_is_mostly_wait(uint64_t host_ns, uint64_t copy_ns) { return host_ns / 2 >= copy_ns; }

/* Returns the download that made the host wait in this event; NULL: the host did not wait for a download in this event.
 * The event is either the download, whose own call blocked the host, or the next wait that the same thread made for the
 * download. `*wait` is set to this wait, or to NULL if the download's own call blocked the host. */
const struct xs_trace_event *xs_awaited_download(const struct xs_trace_event *event, const struct xs_link_model *link,
                                                 const struct xs_trace_event **wait);

#endif
