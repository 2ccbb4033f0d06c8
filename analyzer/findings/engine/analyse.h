/* The analysis of one trace: one call that reads it once, in host order, and returns the findings. */
#ifndef XFERSPY_ANALYZER_ENGINE_ANALYSE_H
#define XFERSPY_ANALYZER_ENGINE_ANALYSE_H

#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/findings.h"
#include "schema/read/trace.h"

struct xs_analysis_options {
    /* Called for every instance, in the order in which they are decided (`explain --all`); NULL: none. `detector` is an
     * index in xs_detectors. The instance is valid during the call. */
    void (*on_instance)(void *data, unsigned detector, const struct xs_instance *instance);
    void *data;
    const char *only_detector; /* id: run this one alone; NULL: all */
    /* Everything is decided on the whole trace; then only instances that pass are reported and counted, and claim
     * anything of the total. To outlive the findings; NULL, or an empty one: all. */
    const struct xs_filter *filter;
    /* Whether instances of this verdict are in the part of a finding of several verdicts whose own saving is asked for
     * (xs_finding.part_saves); NULL: it is not. */
    bool (*is_in_part)(unsigned detector, unsigned verdict);
    bool shows_replay;      /* the run is replayed, even where no finding needs it (xs_diagnose) */
    bool fold_nothing;      /* else findings under both 1 ms and 0.1 % of the run are marked `folded` */
    unsigned reader_window; /* rows that may wait to be put in order; 0: as the trace needs (tests set it) */
};

/* Returns 0, or a negative status with a one-line message naming the file in `message` (XS_TRACE_MESSAGE_BYTES long).
 * `options` may be NULL. The trace may be closed before the findings are freed. */
int xs_analyse(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_findings **findings,
               char *message);

#endif
