/* Device times may have been recorded only in windows of the run (meta `cupti.windows`). This file finds out when these
 * windows were, and which device times are therefore modelled instead of measured (analyzer/trace/modelled). If device
 * times were recorded throughout, `trace->windows` is NULL and nothing is modelled. */
#ifndef XFERSPY_ANALYZER_TRACE_WINDOWS_DEVICE_WINDOWS_H
#define XFERSPY_ANALYZER_TRACE_WINDOWS_DEVICE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/intervals.h"
#include "schema/read/trace.h"

/* What is known about a sum if a part of it is modelled. */
struct xs_device_estimate {
    uint64_t measured_ns, modelled_ns;
    uint64_t measured, modelled; /* how many device times are measured, and how many are modelled */
    uint64_t expected_ns; /* modelled_ns according to the model alone, before the times were fitted to the waits */
    bool known; /* there were enough windows to estimate the error of the sum; false: the next two fields are 0 */
    uint64_t least_ns, most_ns; /* interval of the whole sum, with 95 % confidence */
};

enum xs_device_sum { XS_SUM_H2D, XS_SUM_D2H, XS_SUM_OTHER_COPIES, XS_SUM_MEMSETS, XS_SUM_KERNELS, XS_SUM_COUNT };

/* The calls of these tables are numbered together from 1, in order of time. The numbers replace CUPTI's correlation
 * numbers. */
enum xs_numbered { XS_NUMBERED_TRANSFER, XS_NUMBERED_MEMSET, XS_NUMBERED_LAUNCH, XS_NUMBERED };
struct xs_numbers {
    uint32_t *of_row; /* the number of the call, by row id; 0: the row's call has no number */
    size_t rows;
};

struct xs_device_windows {
    struct xs_intervals items; /* the windows in ns, disjoint, in order of time */
    uint64_t recorded_ns;      /* sum of their lengths */
    uint64_t detachments;
    struct xs_numbers calls[XS_NUMBERED];
    uint8_t *modelled; /* one bit per call number, set if the call's device times are modelled */
    uint32_t numbers;  /* the largest number of a call; the smallest is 1 */
    uint64_t transfers_modelled, transfers_measured;
    struct xs_device_estimate sums[XS_SUM_COUNT];
    /* The share of the copies' time, in the windows, during which a kernel also ran, and the interval of this share;
     * -1: unknown. */
    double overlap, overlap_least, overlap_most;
};

/* Reads the windows; the caller frees them. NULL: the device times were recorded throughout. */
struct xs_device_windows *xs_device_windows_read(const struct xs_trace *trace);
void xs_device_windows_free(struct xs_device_windows *windows);

/* True if the device times of the call with this correlation number are modelled. */
static inline bool xs_is_modelled(const struct xs_trace *trace, uint32_t correlation) {
    const struct xs_device_windows *w = trace->windows;
    return w && correlation && correlation <= w->numbers && (w->modelled[correlation / 8] >> (correlation % 8) & 1);
}

/* True if the device times of a row of transfer, memset or launch are modelled. */
static inline bool xs_is_modelled_row(const struct xs_trace *trace, enum xs_numbered table, int64_t row) {
    const struct xs_numbers *numbers = trace->windows ? &trace->windows->calls[table] : NULL;
    return numbers && row > 0 && (uint64_t)row < numbers->rows && xs_is_modelled(trace, numbers->of_row[row]);
}

/* A mark that is printed before a modelled device time and before a sum with a modelled part. */
#define XS_MODELLED_MARK "~"
static inline const char *xs_modelled_mark(bool modelled) { return modelled ? XS_MODELLED_MARK : ""; }

/* Returns the index of the window that contains the time `ns`; -1: no window contains it. */
int64_t xs_device_window_at(const struct xs_device_windows *windows, int64_t ns);

#endif
