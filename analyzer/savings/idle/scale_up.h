/* These functions turn accounts of the replayed parts of a run into estimates for the whole run (parts.h), in
 * proportion to the time. They change nothing if the run is replayed as a whole. */
#ifndef XFERSPY_ANALYZER_SAVINGS_IDLE_SCALE_UP_H
#define XFERSPY_ANALYZER_SAVINGS_IDLE_SCALE_UP_H

#include "analyzer/savings/idle/idle.h"
#include "analyzer/savings/idle/waits_paid.h"
#include "analyzer/savings/replay/parts.h"

/* Scales the account of idle time. The result is for the time from `start_ns` to `end_ns` of the trace. */
void xs_idle_scale_up(struct xs_idle *idle, const struct xs_parts *parts, int64_t start_ns, int64_t end_ns);
void xs_waits_paid_scale_up(struct xs_waits_paid *waits, const struct xs_parts *parts);

#endif
