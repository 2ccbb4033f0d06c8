/* Divides the run: the wall time of one thread, called the line, in parts that add up to the run. The line is the
 * thread that spent most time in CUDA's calls. Calls of one thread do not overlap, so nothing is counted twice; the
 * time between them is the program's own. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_WHERE_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/intervals.h"
#include "schema/read/trace.h"

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
    unsigned percent[XS_WHERE_PARTS]; /* sum to 100: rounded down, the missing percents go to the largest remainders */
    bool faults_in_part;              /* page migrations, and so the faults, were recorded in windows only */
    uint64_t faults_recorded_ns;      /* total time of these windows */
    uint64_t copy_beside_kernels_ns;  /* of all devices; device time that cost the host nothing, in no part */
};

/* Times at which any device was busy; united. */
struct xs_where_busy {
    struct xs_intervals copies, kernels;
};

/* What xferspy took of the run, by its own measurement. */
struct xs_where_own {
    uint64_t start_ns; /* before the first call */
    uint64_t later_ns; /* before, in and after the program's calls */
};

/* Negative status: the message is set. */
int xs_where_read(const struct xs_trace *trace, uint64_t run_ns, const struct xs_where_busy *busy,
                  const struct xs_where_own *own, struct xs_where *where, char *message);

/* Sets `percent` from `parts` and their sum, `run_ns`; part of xs_where_read. */
void xs_where_round(struct xs_where *where);

#endif
