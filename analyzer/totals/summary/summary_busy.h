/* Goes through the work of the devices and the calls of one thread in order of time, and adds up how long devices were
 * busy, altogether and during each call. Only the work and the calls that are open at a moment are kept, so memory use
 * does not grow with the run. */
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
    const char *name, *enter, *leave, *thread, *also; /* the last four are columns, and a condition for the rows */
};
extern const struct xs_busy_table_info xs_busy_tables[XS_BUSY_TABLES];

/* What devices do. Any number of devices counts like one. */
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
    int64_t category;          /* of a row of api_call: category of its entry point; else 0 */
    int64_t start_ns, end_ns;  /* the part of the call within the run; it is not empty */
    struct xs_busy_times busy; /* during this time */
};

struct xs_busy_line {
    int64_t thread; /* thread.id of the thread whose calls are read; 0: none, and no migrations are read either */
    int64_t end_ns; /* end of the run, which begins at 0 */
    void (*on_call)(void *context, const struct xs_busy_call *call); /* the calls come in the order of their ends */
    void *context;
    struct xs_busy_times run; /* result: of the whole run */
};

/* Reads everything, and sets the busy times of the devices in the summary. Does nothing after an error. */
void xs_busy_read(struct xs_summary_work *work, struct xs_busy_line *line);

#endif
