/* Reads which parts of a run were recorded, if only parts were recorded: because the user requested this (for example
 * with XFERSPY_OUTSIDE=allocations), because commands started and stopped the recording (XFERSPY_START=off), or because
 * the trace is a ledger (XFERSPY_MODE=ledger). The parts are called ranges here. Outside of the ranges, a trace has
 * only the calls that are needed to understand later addresses and handles, such as allocations, and counts of the
 * calls that were left out (preload/core/call_windows.h). A ledger also has sums of the calls there (table `thinned`).
 */
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
    bool limited;                   /* only parts of the run were to be recorded */
    bool has_gaps;                  /* calls were left out, or may have been left out */
    struct xs_capture_range *items; /* in order of time; if there were too many ranges, only the first of them */
    size_t count, capacity;
    bool is_complete;            /* the process ended regularly, so the list and the counts cover the whole run */
    bool is_at_most;             /* recorded_ns is an upper bound, and `parts` is a lower bound */
    uint64_t parts, recorded_ns; /* number and total length of all ranges, including ranges that are not in the list */
    uint64_t transfers, memsets, launches, others; /* calls that were left out */
    /* is_ledger: the trace is a ledger, so calls outside of the ranges are in sums, unless they were left out to keep
     * the cost small. summed_ns: length of the time, in the ranges and outside of them, in which no calls were left
     * out; 0 if the trace is no ledger. */
    bool is_ledger;
    uint64_t summed_ns;
};

/* Reads the ranges. Always call xs_capture_ranges_free. */
void xs_capture_ranges_read(struct xs_capture_ranges *ranges, const struct xs_trace *trace);
void xs_capture_ranges_free(struct xs_capture_ranges *ranges);

/* The time to which percentages refer. This time is the total length of the ranges. It is the length of the whole run
 * if no call outside of the ranges is missing, or if no range has any length. */
struct xs_recorded_time {
    uint64_t ns;     /* the recorded time */
    uint64_t run_ns; /* how long the run took; equal to `ns` unless `in_part` */
    bool in_part;    /* only a part of the run's calls was recorded */
};

/* Returns the recorded time of a trace; `run_ns` is how long the run took. */
struct xs_recorded_time xs_recorded_time(const struct xs_trace *trace, uint64_t run_ns);

/* Returns the time to which percentages of totals refer. This is the recorded time, but if the trace is a ledger, it is
 * all time in which no calls were left out. */
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
