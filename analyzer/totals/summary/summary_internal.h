/* Declarations shared by the files that compute a summary. No other file includes this header. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_INTERNAL_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_INTERNAL_H

#include "analyzer/base/intervals.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/records.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"

/* The state that exists only while a summary is being computed. */
struct xs_summary_work {
    struct xs_summary *summary;
    const struct xs_trace *trace;
    const struct xs_selection *selection; /* the transfers that the totals count; NULL: all */
    char *message;
    struct xs_records records;
    struct xs_intervals *copies; /* by index in summary->devices */
    struct xs_intervals *kernels;
    int64_t last_ns; /* the latest time in any table */
};

/* Totals by [direction][source][destination], used while the transfers are read. */
typedef struct xs_totals xs_totals_grid[XS_DIRECTION_COUNT][XS_MEMORY_KIND_COUNT][XS_MEMORY_KIND_COUNT];
void xs_totals_add(struct xs_totals *to, const struct xs_totals *from);

/* If the trace became too large, so that rows were dropped, these functions add the sums of the dropped rows; otherwise
 * they do nothing. _transfers: `grid` must be empty; call it after the rows were read. _busy: call it after the unions
 * of busy times were computed. */
int xs_summary_thinned_transfers(struct xs_summary_work *work, xs_totals_grid *grid);
int xs_summary_thinned_calls(struct xs_summary_work *work);
int xs_summary_thinned_busy(struct xs_summary_work *work);

/* Each of these functions reads the named tables into the summary. Negative status: the message is set. */
int xs_summary_run(struct xs_summary_work *work);    /* meta, device, note */
int xs_summary_device(struct xs_summary_work *work); /* device_copy, device_kernel, device_migration, device_memset */
int xs_summary_transfers(struct xs_summary_work *work); /* transfer; must be called after work->records were read */
int xs_summary_calls(struct xs_summary_work *work);     /* memset, launch, sync, allocation; must be called after
                                                           xs_summary_device */
void xs_summary_overlap(struct xs_summary_work *work);  /* computes the unions of busy times over the streams of each
                                                           device */

static inline void xs_work_begin(struct xs_summary_work *work, struct xs_scan *scan, const char *sql) {
    xs_scan_begin(scan, work->trace, sql, work->message, &work->summary->damaged_rows);
}

static inline void xs_work_saw(struct xs_summary_work *work, int64_t ns) {
    work->last_ns = ns > work->last_ns ? ns : work->last_ns;
}

/* Returns the index in summary->devices; adds a row for an ordinal that the device table lacks. */
size_t xs_work_device(struct xs_summary_work *work, int64_t ordinal);

#endif
