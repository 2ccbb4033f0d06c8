/* Declares what the files that compute a summary share. No other file includes this header. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_INTERNAL_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_INTERNAL_H

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
    int status;     /* negative: a table could not be read, and the message is set; after that, nothing more is read */
    bool any_timed; /* at least one call that made copies has device times for all of them */
    /* The next fields are about rows of device_copy whose call is not in the trace: number, bytes and device time of
     * the rows of such calls that have all times, and the number of the rows of the other calls. */
    uint64_t orphans, orphan_bytes, orphan_ns, untimed_orphans;
    int64_t last_ns; /* the latest time in any table */
};

/* While the transfers are read, there is a group for each direction and each pair of kinds of memory. */
enum { XS_GROUPS = XS_DIRECTION_COUNT * XS_MEMORY_KIND_COUNT * XS_MEMORY_KIND_COUNT };
static inline struct xs_transfer_group *xs_group_at(struct xs_transfer_group *groups, unsigned direction, unsigned src,
                                                    unsigned dst) {
    return &groups[(direction * XS_MEMORY_KIND_COUNT + src) * XS_MEMORY_KIND_COUNT + dst];
}

static inline void xs_totals_add(struct xs_totals *to, const struct xs_totals *from) {
    xs_sum_all(to, from, sizeof *to);
}

static inline void xs_count_time_add(struct xs_count_time *to, uint64_t count, uint64_t bytes, uint64_t ns) {
    to->count = xs_sum(to->count, count);
    to->bytes = xs_sum(to->bytes, bytes);
    to->ns = xs_sum(to->ns, ns);
}

/* If rows are missing because the trace became too large, or because the trace is a ledger, these functions add the
 * sums of the missing rows (table `thinned`). Otherwise they do nothing. xs_summary_thinned_transfers adds to `groups`,
 * whose totals must be 0; call it after the kept rows of `transfer` were read. Call xs_summary_thinned_busy after
 * xs_summary_where. */
void xs_summary_thinned_transfers(struct xs_summary_work *work, struct xs_transfer_group *groups);
void xs_summary_thinned_calls(struct xs_summary_work *work);
void xs_summary_thinned_busy(struct xs_summary_work *work);

/* A row of device_copy. xs_copy_row_read reads it, with the columns id and correlation before XS_COPY_ROW_COLUMNS, and
 * xs_copy_row_take adds it to the summary, but not to the totals of transfers. */
struct xs_copy_row {
    struct xs_record record; /* its correlation number is 0 if the row has none, and also for a copy of a graph */
    int64_t device, end_ns;
    /* Set only for a copy of a graph: number of copies, and their kind (xs_record_kind). */
    uint64_t copies;
    unsigned kind;
    bool is_of_graph, is_modelled, has_no_call; /* has_no_call: the copy has no correlation number, and is of no
                                                 * graph */
};
bool xs_copy_row_read(struct xs_scan *scan, void *row);
void xs_copy_row_take(struct xs_summary_work *work, const struct xs_copy_row *row);
#define XS_COPY_ROW_COLUMNS XS_COPY_RECORD_OTHER_COLUMNS ", device, dst_device, src_device, copies, graph_node"

/* Each of these functions reads the named tables into the summary. */
void xs_summary_device(struct xs_summary_work *work);    /* device_kernel, device_migration, device_memset */
void xs_summary_transfers(struct xs_summary_work *work); /* transfer and device_copy */
void xs_summary_calls(struct xs_summary_work *work);     /* memset, launch, sync, allocation; must be called after
                                                            xs_summary_device */
/* Computes how long each device was busy, over all of its streams. If `is_known` is true, all calls of the run are in
 * the trace; then this function also computes what the run's time was spent on. The summary must have the duration of
 * the run. */
void xs_summary_where(struct xs_summary_work *work, bool is_known, const struct xs_where_own *own);

/* Begins to read the rows of a statement, which is formatted as by printf. After an error there are no rows. */
void xs_work_begin(struct xs_summary_work *work, struct xs_scan *scan, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Begins to read columns of all rows of a table, as xs_scan_columns does. After an error there are no rows. */
void xs_work_columns(struct xs_summary_work *work, struct xs_scan *scan, const char *table, const char *columns);
static inline void xs_work_end(struct xs_summary_work *work, struct xs_scan *scan) { work->status = xs_scan_end(scan); }

static inline void xs_work_saw(struct xs_summary_work *work, int64_t ns) {
    work->last_ns = ns > work->last_ns ? ns : work->last_ns;
}

/* Returns the index in summary->devices of the device with this ordinal. Adds an item if the device table lacks this
 * ordinal. If no more items can be added, returns the index of the last item. */
size_t xs_work_device(struct xs_summary_work *work, int64_t ordinal);

#endif
