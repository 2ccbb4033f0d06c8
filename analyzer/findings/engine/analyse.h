/* Analyses one trace. One call reads the trace once, in host order, and returns the findings. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_ANALYSE_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_ANALYSE_H

#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/findings.h"
#include "schema/read/trace.h"

/* A detector remembers at most this many contents. An uploaded content takes about 200 bytes, and so does a downloaded
 * content. */
#define XS_KEPT_CONTENTS (1u << 18)

struct xs_analysis_options {
    /* Runs for every instance, in the order in which detectors report them (`explain --all`); NULL: not wanted.
     * `detector` is an index in xs_detectors. The instance is valid during the call. */
    void (*on_instance)(void *data, unsigned detector, const struct xs_instance *instance);
    void *data;
    const char *only_detector; /* id of the only detector that runs; NULL: all detectors run */
    /* Restricts what is reported. The whole trace is analysed, but only instances that pass are reported and counted,
     * and only their claims are in the total. Must outlive the findings; NULL or empty: all pass. */
    const struct xs_filter *filter;
    /* Returns true if a verdict's instances belong to the part of a joined finding that gets a saving of its own
     * (xs_diagnosed.part_saves). NULL: there is no such part. */
    bool (*is_in_part)(unsigned detector, unsigned verdict);
    bool accounts_idle; /* account for the devices' idle time (xs_diagnose) */
    enum xs_judged_waits {
        XS_JUDGES_NO_WAITS,
        XS_JUDGES_FIRST_WAIT, /* judge only the place with the most waiting time, and do not find out which work the
                               * host waited for */
        XS_JUDGES_WAITS
    } judged_waits; /* which waits to judge. The waits of a place are judged by replays of the run without them, two for
                     * each place */
    bool shows_replay;                         /* replay the run even if no finding needs it (xs_diagnose) */
    bool keeps_repairables;                    /* fill xs_findings.repairables */
    const struct xs_intervals *repaired_times; /* only instances whose calls begin in these times are kept in
                                                * xs_findings.repairables, and a few others (xs_repairables_add); NULL:
                                                * all instances are kept. Must outlive the analysis */
    bool fold_nothing;      /* false: findings under both 1 ms and 0.1 % of the run are ranked after the others */
    unsigned replayed_rows; /* a run with more rows than this is replayed in parts; 0: XS_PARTS_WHOLE_ROWS. Only tests
                             * set this field */
    unsigned kept_contents; /* how many contents a detector remembers; 0: XS_KEPT_CONTENTS. Only tests set this field */
    unsigned sorted_rows; /* number of rows that may be kept in memory to be sorted; 0: as many as the trace needs. Only
                           * tests set this field */
};

/* Returns 0, or a negative status with a one-line message naming the file in `message` (XS_TRACE_MESSAGE_BYTES long).
 * `options` may be NULL. The trace may be closed before the findings are freed. */
int xs_analyse(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_findings **findings,
               char *message);

#endif
