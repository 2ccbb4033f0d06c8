/* What no single call shows, but all of them together: which streams are not ordered with the legacy default stream
 * (the trace does not say how a stream was created), and which functions wait for the device. Both follow from the
 * measured times: what began or returned too early did not wait. */
#ifndef XFERSPY_ANALYZER_REPLAY_EVIDENCE_H
#define XFERSPY_ANALYZER_REPLAY_EVIDENCE_H

#include "analyzer/savings/replay/model.h"

/* The clocks of host and device agree to about that, and an end that is so much later than a start contradicts an
 * order. */
#define XS_REPLAY_CLOCKS_NS 1500

/* Of the calls of an entry point. */
struct xs_evidence_call {
    int64_t own_ns;     /* the usual duration of those that waited for nothing; -1: there is none */
    bool returns_first; /* one of them returned while the device worked on */
};

struct xs_evidence {
    struct xs_evidence_call *calls; /* by entry point */
    int32_t entry_points;
};

/* Also sets `is_apart` of the model's calls. To be freed. */
void xs_evidence_find(struct xs_evidence *evidence, struct xs_model *model);
void xs_evidence_free(struct xs_evidence *evidence);

#endif
