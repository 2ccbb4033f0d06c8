/* Reads which parts of a run were recorded, if the user requested that only parts are recorded
 * (XFERSPY_OUTSIDE=allocations). The parts are called ranges here. Outside of the ranges a trace has only allocations
 * and frees, and counts of all other calls. */
#ifndef XFERSPY_ANALYZER_TRACE_WINDOWS_CAPTURE_RANGES_H
#define XFERSPY_ANALYZER_TRACE_WINDOWS_CAPTURE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_capture_range {
    int64_t start_ns, end_ns;
};

struct xs_capture_ranges {
    bool limited;                   /* the user requested that only parts are recorded */
    bool has_gaps;                  /* calls were left out, or may have been left out */
    struct xs_capture_range *items; /* in order of time; if there were too many ranges, only the first of them */
    size_t count, capacity;
    bool is_complete;            /* the process ended regularly, so the list and the counts cover the whole run */
    bool is_at_most;             /* recorded_ns is an upper bound, and `parts` is a lower bound */
    uint64_t parts, recorded_ns; /* number and total length of all ranges, including ranges that are not in the list */
    uint64_t transfers, memsets, launches, others; /* calls that were left out */
    /* The trace is a ledger (XFERSPY_MODE=ledger): calls outside of the ranges are in sums (table `thinned`), unless
     * they were left out. For `summed_ns` of the run, in the ranges and outside, calls were not left out. */
    bool is_ledger;
    uint64_t summed_ns;
};

/* Reads the ranges. Always call xs_capture_ranges_free. */
void xs_capture_ranges_read(struct xs_capture_ranges *ranges, const struct xs_trace *trace);
void xs_capture_ranges_free(struct xs_capture_ranges *ranges);

/* The time to which percentages refer. This time is the total length of the ranges. It is the length of the whole run
 * if no call outside of the ranges is missing, or if nothing was recorded in ranges. */
struct xs_recorded_time {
    uint64_t ns;     /* the recorded time */
    uint64_t run_ns; /* how long the run took; equal to `ns` unless `in_part` */
    bool in_part;    /* only a part of the run's calls was recorded */
};

/* Returns the recorded time of a trace; `run_ns` is how long the run took. */
struct xs_recorded_time xs_recorded_time(const struct xs_trace *trace, uint64_t run_ns);

/* Returns the time to which percentages of totals refer. It is the recorded time, but of a ledger all the time whose
 * calls are in sums. */
struct xs_recorded_time xs_totals_time(const struct xs_capture_ranges *ranges, struct xs_recorded_time recorded);

/* Returns the words after a percentage: XS_OF_THE_RUN, or "of the time recorded" if only a part of the run was
 * recorded. */
#define XS_OF_THE_RUN "of the run"
static inline const char *xs_share_is_of(const struct xs_recorded_time *recorded) {
    return recorded->in_part ? "of the time recorded" : XS_OF_THE_RUN;
}

/* Returns the index of the range that contains the time `ns`; -1: no range contains it. */
int64_t xs_capture_range_at(const struct xs_capture_ranges *ranges, int64_t ns);

/* Returns how much of the time from start_ns to end_ns was recorded; if there are no gaps, returns the whole time. Time
 * after the end of the list also counts as recorded, because the list ends early if there were too many ranges or the
 * process was killed. */
uint64_t xs_recorded_between(const struct xs_capture_ranges *ranges, int64_t start_ns, int64_t end_ns);

#endif
