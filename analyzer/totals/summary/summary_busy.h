/* Goes through the work of the devices, and through the calls of one thread, in order of time. Adds up how long the
 * devices were busy, in the whole run and during each call. Only the work and the calls that have begun and not ended
 * are kept, so memory use does not grow with the length of the run. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_BUSY_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_BUSY_H

#include "analyzer/totals/summary/summary_internal.h"

/* The tables of calls. The launch of a kernel has no return time, so it counts no time. */
enum xs_busy_table {
    XS_BUSY_TRANSFER,
    XS_BUSY_MEMSET,
    XS_BUSY_LAUNCH,
    XS_BUSY_SYNC,
    XS_BUSY_API,
    XS_BUSY_ALLOCATION,
    XS_BUSY_FREE,
    XS_BUSY_TABLES
};
struct xs_busy_table_info {
    const char *name, *enter, *leave, *thread; /* `name` is the table; the other three are columns of it */
    const char *batch; /* the column with the index of a copy in its batch call, because all copies of a batch count as
                        * one call; "NULL": the table has no such column */
};
extern const struct xs_busy_table_info xs_busy_tables[XS_BUSY_TABLES];

/* What the devices do. If several devices do it at the same time, this time counts once. */
enum xs_busy_with {
    XS_BUSY_COPIES,
    XS_BUSY_KERNELS,
    XS_BUSY_FAULTS,  /* kernels waited for pages, or pages moved */
    XS_BUSY_RETURNS, /* pages moved back because the host needed them */
    XS_BUSY_BOTH,    /* copies and kernels at the same time */
    XS_BUSY_WITH
};
struct xs_busy_times {
    uint64_t ns[XS_BUSY_WITH];
};

struct xs_busy_call {
    enum xs_busy_table table;
    int64_t category;          /* for a row of api_call: the category of its entry point (enum xs_category); else 0 */
    int64_t start_ns, end_ns;  /* the part of the call within the run; it is not empty */
    struct xs_busy_times busy; /* what the devices did during this part of the call */
};

struct xs_busy_line {
    int64_t thread; /* thread.id of the thread whose calls are read; 0: neither calls nor migrations are read */
    int64_t end_ns; /* end of the run, which begins at 0 */
    void (*on_call)(void *context, const struct xs_busy_call *call); /* runs for each call, in the order of the ends of
                                                                      * the calls */
    void *context;
    struct xs_busy_times run; /* result: what the devices did in the whole run */
};

/* Reads the tables, calls on_call, and sets `run` and the busy times of the devices in the summary. Does nothing if
 * `work` already has an error; sets its status after an error. */
void xs_busy_read(struct xs_summary_work *work, struct xs_busy_line *line);

#endif
