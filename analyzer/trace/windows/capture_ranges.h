/* The parts of a run whose calls were recorded, where the user asked for that (XFERSPY_OUTSIDE=allocations). Outside of
 * them a trace has allocations and frees, and only counts of all other calls. */
#ifndef XFERSPY_ANALYZER_TRACE_CAPTURE_RANGES_H
#define XFERSPY_ANALYZER_TRACE_CAPTURE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/trace/trace.h"

struct xs_capture_range {
    int64_t start_ns, end_ns;
};

struct xs_capture_ranges {
    bool limited;                   /* the trace has ranges */
    bool has_gaps;                  /* and calls were left out, or may have been */
    struct xs_capture_range *items; /* in the order of time; the first ones where there were many */
    size_t count, capacity;
    uint64_t ranges, recorded_ns;                  /* all of them, and how long they were together */
    uint64_t transfers, memsets, launches, others; /* calls that were left out */
};

/* Always to be freed. */
void xs_capture_ranges_read(struct xs_capture_ranges *ranges, const struct xs_trace *trace);
void xs_capture_ranges_free(struct xs_capture_ranges *ranges);

/* The index of the range that the moment lies in; -1: it lies in none. */
int64_t xs_capture_range_at(const struct xs_capture_ranges *ranges, int64_t ns);

#endif
