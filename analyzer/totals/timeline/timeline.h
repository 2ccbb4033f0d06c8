/* Reads the host's calls and the device's work from the trace, for timelines. The HTML page shows them in lanes, and
 * the command `export` writes them as tracks. */
#ifndef XFERSPY_ANALYZER_TOTALS_TIMELINE_TIMELINE_H
#define XFERSPY_ANALYZER_TOTALS_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/findings/engine/findings.h"
#include "schema/read/trace.h"

struct sqlite3_stmt;

enum xs_timeline_kind {
    /* The host's calls come first. */
    XS_TIMELINE_TRANSFER,
    XS_TIMELINE_BATCH, /* made only by xs_timeline_merge: a call that requested several transfers; TRANSFER then does
                          not contain these transfers */
    XS_TIMELINE_MEMSET,
    XS_TIMELINE_LAUNCH,
    XS_TIMELINE_SYNC,
    XS_TIMELINE_API_CALL,
    XS_TIMELINE_ALLOCATION,
    XS_TIMELINE_FREE,
    /* The device's work follows. */
    XS_TIMELINE_COPY,
    XS_TIMELINE_KERNEL,
    XS_TIMELINE_DEVICE_MEMSET,
    XS_TIMELINE_MIGRATION, /* made only by xs_timeline_merge */
    XS_TIMELINE_KINDS
};
enum { XS_TIMELINE_NO_EVIDENCE = -1, XS_TIMELINE_RANGE_NOT_RECORDED = -1 };

struct xs_timeline_row {
    enum xs_timeline_kind kind;
    int evidence; /* the enum xs_evidence_table that findings use for this row, or XS_TIMELINE_NO_EVIDENCE */
    int64_t start_ns, end_ns;
    bool timed;          /* both times are known, and the end is not before the start; always true for work */
    int64_t id;          /* id of the row, or of the first of several rows */
    int64_t correlation; /* shared by a call and its work; 0: none */
    uint64_t bytes;      /* bytes of the row, or of the first of several rows */
    unsigned direction;  /* enum xs_direction, for transfers and copies; else 0 */

    /* The next fields are about calls. */
    bool ran;                   /* the call neither failed nor was captured into a graph */
    int64_t entry_point, stack; /* for work, the values of its call, set only by xs_timeline_merge */
    int64_t thread, stream;
    unsigned src_kind, dst_kind; /* enum xs_memory_kind, for transfers */
    int64_t batch_index;         /* -1: not in a batch */
    bool is_async;
    bool left_out; /* for transfers: the content is not known, because the sample left the copy out */

    /* The next fields are about work. */
    int64_t device;         /* -1: not known */
    int64_t context, queue; /* CUPTI's numbers of context and stream; -1 for migrations, which belong to no context
                               or stream */
    bool of_graph;          /* the work is a node of a launched graph; `correlation` is that of the graph's launch */
    int64_t kernel;         /* kernel_name.id */
    int64_t copies;
    bool modelled; /* the work's times are modelled, not measured */

    /* The next fields are set by xs_timeline_merge only. */
    const char *category, *name; /* name: the name of the entry point, of the kind of copy, or of the kernel; NULL:
                                    not known */
    int64_t evidence_row;        /* for a call, its first row; for work, the first row of its call; 0: not known */
    int64_t evidence_rows;       /* number of consecutive rows */
    int64_t range;               /* for a call: nvtx_range.id; 0: none; or XS_TIMELINE_RANGE_NOT_RECORDED */
    int64_t stream_handle;       /* for work, if stream_known */
    bool stream_known;
    struct sqlite3_stmt *statement; /* the SQL statement at this row; its last columns have the arguments */
    int first_argument;             /* index of the first column with an argument */
};

/* Returns the length of a timed row. */
static inline uint64_t xs_timeline_ns(const struct xs_timeline_row *row) {
    return (uint64_t)row->end_ns - (uint64_t)row->start_ns;
}

/* This function is called for each row. The row is valid until the function returns. If it returns false, no more rows
 * are read. */
typedef bool (*xs_timeline_take)(void *data, const struct xs_timeline_row *row);

/* Reads the rows of one kind, in table order, and leaves out calls that did not run. The function neither joins nor
 * sorts, so it is fast enough for sums over millions of rows. Negative status: the message is set. */
int xs_timeline_scan(const struct xs_trace *trace, enum xs_timeline_kind kind, xs_timeline_take take, void *data,
                     char *message);

/* Reads all calls (from TRANSFER to FREE), or all work, as one sequence sorted by start; if two start at the same time,
 * the longer one comes first. The sequence includes failed and captured calls, rows have names, and several rows of one
 * call become one row. Negative status: the message is set. */
int xs_timeline_merge(const struct xs_trace *trace, bool work, xs_timeline_take take, void *data, char *message);

/* A thread and its name. */
struct xs_timeline_thread {
    bool known;
    int64_t tid;
    char *name; /* the caller frees it; NULL: the trace has no name */
};
int xs_timeline_thread(const struct xs_trace *trace, int64_t id, struct xs_timeline_thread *thread, char *message);

#endif
