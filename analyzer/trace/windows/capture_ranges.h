/* The parts of a run whose calls were recorded, where the user asked for that (XFERSPY_OUTSIDE=allocations). Outside of
 * them a trace has allocations and frees, and only counts of all other calls. */
#ifndef XFERSPY_ANALYZER_TRACE_CAPTURE_RANGES_H
#define XFERSPY_ANALYZER_TRACE_CAPTURE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_capture_range {
    int64_t start_ns, end_ns;
};

struct xs_capture_ranges {
    bool limited;                   /* the trace has ranges */
    bool has_gaps;                  /* and calls were left out, or may have been */
    struct xs_capture_range *items; /* in the order of time; the first ones where there were many */
    size_t count, capacity;
    bool is_complete;             /* the process ended: the list and the numbers are not of some time before */
    bool is_at_most;              /* recorded_ns is, and there were at least so many ranges */
    uint64_t ranges, recorded_ns; /* all of them, and how long they were together; with what was recorded since */
    uint64_t transfers, memsets, launches, others; /* calls that were left out */
};

/* Always to be freed. */
void xs_capture_ranges_read(struct xs_capture_ranges *ranges, const struct xs_trace *trace);
void xs_capture_ranges_free(struct xs_capture_ranges *ranges);

/* What every share of a trace is of: how long the ranges were together. The run, where no call is missing outside of
 * them. */
struct xs_recorded_time {
    uint64_t ns;     /* what is shared */
    uint64_t run_ns; /* how long the run took; as much, unless `in_part` */
    bool in_part;    /* the calls of a part of the run were recorded */
};

/* `run_ns`: how long the run took. */
struct xs_recorded_time xs_recorded_time(const struct xs_trace *trace, uint64_t run_ns);

/* What shares are of, in words: XS_OF_THE_RUN, or "of the time recorded" where that is a part of the run. */
#define XS_OF_THE_RUN "of the run"
static inline const char *xs_share_is_of(const struct xs_recorded_time *recorded) {
    return recorded->in_part ? "of the time recorded" : XS_OF_THE_RUN;
}

/* The index of the range that the moment lies in; -1: it lies in none. */
int64_t xs_capture_range_at(const struct xs_capture_ranges *ranges, int64_t ns);

/* How much of the time between two moments was recorded: all of it where there are no gaps, or where the list of the
 * ranges ends before, because there were too many or the process was killed. */
uint64_t xs_recorded_between(const struct xs_capture_ranges *ranges, int64_t start_ns, int64_t end_ns);

#endif
