/* Shared by the files that compute a summary; for nobody else. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_INTERNAL_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_INTERNAL_H

#include "analyzer/base/intervals.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/records.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"

/* State that lives only while a summary is being computed. */
struct xs_summary_work {
    struct xs_summary *summary;
    const struct xs_trace *trace;
    const struct xs_selection *selection; /* transfers that count in totals; NULL: all */
    char *message;
    struct xs_records records;
    struct xs_intervals *copies; /* by index in summary->devices */
    struct xs_intervals *kernels;
    int64_t last_ns; /* the latest time seen anywhere */
};

/* totals by [direction][source][destination] while scanning */
typedef struct xs_totals xs_totals_grid[XS_DIRECTION_COUNT][XS_MEMORY_KIND_COUNT][XS_MEMORY_KIND_COUNT];
void xs_totals_add(struct xs_totals *to, const struct xs_totals *from);

/* Add what was dropped of a trace that grew too large; they do nothing if nothing was dropped. _transfers: into an
 * empty grid, after the rows were read; _busy: after the unions. */
int xs_summary_thinned_transfers(struct xs_summary_work *work, xs_totals_grid *grid);
int xs_summary_thinned_calls(struct xs_summary_work *work);
int xs_summary_thinned_busy(struct xs_summary_work *work);

/* Each function reads some tables into the summary. Negative status: the message is set. */
int xs_summary_run(struct xs_summary_work *work);    /* meta, device, note */
int xs_summary_device(struct xs_summary_work *work); /* device_copy, device_kernel, device_migration, device_memset */
int xs_summary_transfers(struct xs_summary_work *work); /* transfer; must come after the records */
int xs_summary_calls(struct xs_summary_work *work);     /* memset, launch, sync, allocation; after xs_summary_device */
void xs_summary_overlap(struct xs_summary_work *work);  /* unions over the streams of each device */

static inline void xs_work_begin(struct xs_summary_work *work, struct xs_scan *scan, const char *sql) {
    xs_scan_begin(scan, work->trace, sql, work->message, &work->summary->damaged_rows);
}

static inline void xs_work_saw(struct xs_summary_work *work, int64_t ns) {
    work->last_ns = ns > work->last_ns ? ns : work->last_ns;
}

/* Returns the index in summary->devices; adds a row for an ordinal that the device table lacks. */
size_t xs_work_device(struct xs_summary_work *work, int64_t ordinal);

#endif
