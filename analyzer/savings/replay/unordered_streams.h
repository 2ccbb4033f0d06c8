/* Finds which streams are not ordered with the legacy default stream, and which functions wait for the device. The
 * trace does not show how a stream was created, so both are concluded from the measured times of all calls: an
 * operation that began too early, or a call that returned too early, did not wait. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_UNORDERED_STREAMS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_UNORDERED_STREAMS_H

#include "analyzer/savings/replay/model.h"

/* The clocks of host and device may differ by about this much. Work counts as ordered before other work only if it
 * ended at most this long after the start of the other work. */
#define XS_REPLAY_CLOCKS_NS 1500

/* Describes the calls of an entry point. */
struct xs_measured_call {
    int64_t own_ns;     /* usual duration of the calls that waited for nothing; -1: there is no such call */
    bool returns_first; /* a call returned while the device was still working */
};

struct xs_measured_waits {
    struct xs_measured_call *calls; /* by entry point */
    int32_t entry_points;
};

/* Fills `measured`, and sets `is_apart` of the model's calls. Always call xs_measured_waits_free. */
void xs_measured_waits_find(struct xs_measured_waits *measured, struct xs_model *model);
void xs_measured_waits_free(struct xs_measured_waits *measured);

#endif
