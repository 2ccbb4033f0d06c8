/* A trace whose device times were recorded in windows of the run only (meta `cupti.windows`): when these were, and
 * which device times are therefore not measured but modelled (analyzer/trace/modelled). A trace that was recorded
 * throughout has none of this: `trace->windows` is NULL, and nothing of it is modelled. */
#ifndef XFERSPY_ANALYZER_TRACE_DEVICE_WINDOWS_H
#define XFERSPY_ANALYZER_TRACE_DEVICE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/intervals.h"
#include "schema/read/trace.h"

/* What is known of a sum of which a part is modelled. */
struct xs_device_estimate {
    uint64_t measured_ns, modelled_ns;
    uint64_t measured, modelled; /* how many */
    uint64_t expected_ns; /* what is modelled would take so long by itself, before it was made to fit the waits */
    bool known;           /* there were enough windows to say how far the sum may be off; else the next two are 0 */
    uint64_t least_ns, most_ns; /* of the sum of both, with 95 % confidence */
};

enum xs_device_sum { XS_SUM_H2D, XS_SUM_D2H, XS_SUM_OTHER_COPIES, XS_SUM_MEMSETS, XS_SUM_KERNELS, XS_SUM_COUNT };

/* Numbers of calls, in the order of time, from 1: what takes the place of CUPTI's correlations. */
enum xs_numbered { XS_NUMBERED_TRANSFER, XS_NUMBERED_MEMSET, XS_NUMBERED_LAUNCH, XS_NUMBERED };
struct xs_numbers {
    uint32_t *of_row; /* by row id; 0: it has none */
    size_t rows;
};

struct xs_device_windows {
    struct xs_intervals items; /* disjoint, by time; ns */
    uint64_t recorded_ns;      /* together */
    uint64_t detachments;
    struct xs_numbers calls[XS_NUMBERED];
    uint8_t *modelled; /* bits by number of a call (its correlation): its device times are modelled */
    uint32_t numbers;  /* how many calls have a number; they are from 1 */
    uint64_t transfers_modelled, transfers_measured;
    struct xs_device_estimate sums[XS_SUM_COUNT];
    /* The part of the copies' time with a kernel beside it, in the windows, and how far that may be off; -1: unknown.
     */
    double overlap, overlap_least, overlap_most;
};

/* Reads the windows. NULL: the trace has none, its device times were recorded throughout. To be freed. */
struct xs_device_windows *xs_device_windows_read(const struct xs_trace *trace);
void xs_device_windows_free(struct xs_device_windows *windows);

/* Whether the device times of the call with that correlation are modelled. */
static inline bool xs_is_modelled(const struct xs_trace *trace, uint32_t correlation) {
    const struct xs_device_windows *w = trace->windows;
    return w && correlation && correlation <= w->numbers && (w->modelled[correlation / 8] >> (correlation % 8) & 1);
}

/* The same of a row of transfer, memset or launch. */
static inline bool xs_is_modelled_row(const struct xs_trace *trace, enum xs_numbered table, int64_t row) {
    const struct xs_numbers *numbers = trace->windows ? &trace->windows->calls[table] : NULL;
    return numbers && row > 0 && (uint64_t)row < numbers->rows && xs_is_modelled(trace, numbers->of_row[row]);
}

/* Before a device time that is modelled, or a sum of which a part is, for people. */
#define XS_MODELLED_MARK "~"
static inline const char *xs_modelled_mark(bool modelled) { return modelled ? XS_MODELLED_MARK : ""; }

/* The index of the window that the moment lies in, or -1. */
int64_t xs_device_window_at(const struct xs_device_windows *windows, int64_t ns);

#endif
