/* Divides the run's time into parts. They are parts of the wall time of one thread, which is called the line, and their
 * sum is the time of the whole run. The line is the thread that spent most time in CUDA's calls. Calls of one thread do
 * not overlap, so nothing is counted twice; the time between these calls belongs to the program itself. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_WHERE_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#define XS_WHERE_PART(id, key, label, letter) XS_WHERE_##id,
enum xs_where_part {
#include "analyzer/totals/summary/where_parts.def"
    XS_WHERE_PARTS
};
#undef XS_WHERE_PART
extern const char *const xs_where_keys[XS_WHERE_PARTS], *const xs_where_labels[XS_WHERE_PARTS];
extern const char xs_where_letters[XS_WHERE_PARTS + 1];

struct xs_where {
    bool known;                       /* the run's duration is known, and there were calls */
    int64_t thread, tid;              /* the line: thread.id, and the system's tid */
    uint64_t run_ns;                  /* sum of all parts */
    uint64_t parts[XS_WHERE_PARTS];   /* ns */
    unsigned percent[XS_WHERE_PARTS]; /* their sum is 100: each value is rounded down, and the values with the largest
                                         remainders get the missing percents */
    bool faults_in_part;              /* page migrations, and thus page faults, were recorded only in some time
                                         windows */
    uint64_t faults_recorded_ns;      /* total time of the windows in which faults were recorded */
    uint64_t copy_beside_kernels_ns;  /* device time of copies while kernels ran, on all devices; it is in none of the
                                         parts */
};

/* How much of the run's time xferspy used, as xferspy measured it. */
struct xs_where_own {
    uint64_t start_ns; /* time before the first call */
    uint64_t later_ns; /* all other time that xs_own_ns counts, except for page migrations */
};

/* Sets `percent` from `parts` and their sum, `run_ns`; used by xs_summary_where. */
void xs_where_round(struct xs_where *where);

#endif
