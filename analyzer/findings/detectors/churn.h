/* Declares what repeated-allocation and pinned-churn share: they find allocations that follow a free of the same size,
 * kind, context and call site. costly-pinning uses the same rules to find the memory that pinned-churn reports. Memory
 * use grows with the number of freed allocations that no allocation has followed yet (never more than the allocations
 * that lived at one time), and with the number of different sizes. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_CHURN_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_CHURN_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"

struct xs_churn {           /* a detector's state; zeroed: empty */
    struct xs_hash sizes;   /* maps a size, kind, context and call site to a struct size */
    struct xs_hash repeats; /* allocation.id of each live allocation that followed a free */
    struct xs_hash refused; /* thread.id of each thread whose last allocation failed for lack of memory */
    /* Runs instead of reporting a pair, with its two allocations, the later one first. NULL: pairs are reported. */
    void (*on_pair)(struct xs_detection *detection, int64_t id, int64_t freed_id);
};

/* A detector that calls xs_churn_take must want these events. */
#define XS_CHURN_WANTS (XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_API) | XS_WANT_NOT_RUN)
enum xs_churn_of { XS_CHURN_DEVICE_OR_MANAGED, XS_CHURN_PAGE_LOCKED };

/* Handles an event; ignores allocations of other kinds than `of`. Pairs of a size are reported only if there are at
 * least 5 of them. Two allocations of registered memory are a pair only if they have the same address, because the
 * program chooses the memory that it registers. `detection->state` is, or begins with, a struct xs_churn. */
void xs_churn_take(struct xs_detection *detection, const struct xs_trace_event *event, enum xs_churn_of of);
void xs_churn_end(struct xs_detection *detection);

#endif
