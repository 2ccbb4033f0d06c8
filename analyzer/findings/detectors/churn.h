/* Holds what repeated-allocation and pinned-churn share: allocations that follow a free of the same size, kind and call
 * site. costly-pinning applies the same rules to tell what belongs to pinned-churn. Memory use grows with the number of
 * freed allocations that no allocation has followed yet (never more than lived at one time), and with the number of
 * different sizes. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_CHURN_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_CHURN_H

#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "analyzer/findings/engine/detector.h"

struct xs_churn {           /* a detector's state; zeroed: empty */
    struct xs_hash sizes;   /* size, kind, context and call site to struct size */
    struct xs_hash repeats; /* allocation.id of live allocations that followed a free */
    struct xs_hash refused; /* thread.id of threads that were refused memory and got none since */
    struct xs_pool pool;
    /* Called with the two allocations of each pair to be reported, the later one first. NULL: the pair is reported. */
    void (*on_pair)(struct xs_detection *detection, int64_t id, int64_t freed_id);
};

/* The events that a detector needs for this. */
#define XS_CHURN_WANTS (XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_API) | XS_WANT_NOT_RUN)
enum xs_churn_of { XS_CHURN_DEVICE_OR_MANAGED, XS_CHURN_PAGE_LOCKED };

/* Takes an event; ignores allocations of the other kinds. Pairs of a size are reported once there are 5 of them.
 * Registered memory belongs to the host: a registration can only be kept for the same address. `detection->state`
 * is, or begins with, a struct xs_churn. */
void xs_churn_take(struct xs_detection *detection, const struct xs_trace_event *event, enum xs_churn_of of);
void xs_churn_end(struct xs_detection *detection);

#endif
