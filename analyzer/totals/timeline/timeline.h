/* What a timeline is drawn from: the host's calls and the device's work, read from the trace one kind after the other.
 * The page makes lanes of it, and the export tracks. */
#ifndef XFERSPY_ANALYZER_TIMELINE_TIMELINE_H
#define XFERSPY_ANALYZER_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/findings/engine/findings.h"
#include "schema/read/trace.h"

struct sqlite3_stmt;

enum xs_timeline_kind {
    /* Calls of the host. */
    XS_TIMELINE_TRANSFER,
    XS_TIMELINE_BATCH, /* of xs_timeline_merge: a call that asked for several transfers, which TRANSFER then leaves
                        * out */
    XS_TIMELINE_MEMSET,
    XS_TIMELINE_LAUNCH,
    XS_TIMELINE_SYNC,
    XS_TIMELINE_API_CALL,
    XS_TIMELINE_ALLOCATION,
    XS_TIMELINE_FREE,
    /* Work of the device. */
    XS_TIMELINE_COPY,
    XS_TIMELINE_KERNEL,
    XS_TIMELINE_DEVICE_MEMSET,
    XS_TIMELINE_MIGRATION, /* of xs_timeline_merge */
    XS_TIMELINE_KINDS
};
enum { XS_TIMELINE_NO_EVIDENCE = -1, XS_TIMELINE_RANGE_NOT_RECORDED = -1 };

struct xs_timeline_row {
    enum xs_timeline_kind kind;
    int evidence; /* enum xs_evidence_table of what findings are about here, or XS_TIMELINE_NO_EVIDENCE */
    int64_t start_ns, end_ns;
    bool timed;          /* both are known, and the end does not lie before the start. Work always is */
    int64_t id;          /* of the row; of several the first */
    int64_t correlation; /* of a call and its work; 0: none */
    uint64_t bytes;      /* of several rows those of the first */
    unsigned direction;  /* enum xs_direction, of transfers and copies; else 0 */

    /* Of calls. */
    bool ran;                   /* neither failed nor was captured into a graph */
    int64_t entry_point, stack; /* of work those of its call, known to xs_timeline_merge alone */
    int64_t thread, stream;
    unsigned src_kind, dst_kind; /* enum xs_memory_kind, of transfers */
    int64_t batch_index;         /* -1: in no batch */
    bool is_async;

    /* Of work. */
    int64_t device;         /* -1: not known */
    int64_t context, queue; /* CUPTI's numbers of context and stream; -1 of migrations, which belong to none */
    bool of_graph;          /* the correlation is that of the graph's launch */
    int64_t kernel;         /* kernel_name.id */
    int64_t copies;
    bool modelled; /* when it ran is not measured, but modelled */

    /* Of xs_timeline_merge. */
    const char *category, *name; /* name: of the entry point, the copy's kind, the kernel. NULL: not known */
    int64_t evidence_row;        /* of a call its own first row, of work that of its call; 0: not known */
    int64_t evidence_rows;       /* how many, one after the other */
    int64_t range;               /* of a call: nvtx_range.id, 0: none, or XS_TIMELINE_RANGE_NOT_RECORDED */
    int64_t stream_handle;       /* of work, where known */
    bool stream_known;
    struct sqlite3_stmt *statement; /* the row itself: what else is said of it, in columns of their own names, */
    int first_argument;             /* from here on */
};

/* How long, of a row that is timed. */
static inline uint64_t xs_timeline_ns(const struct xs_timeline_row *row) {
    return (uint64_t)row->end_ns - (uint64_t)row->start_ns;
}

/* Called for each row, which is valid until it returns. False: enough. */
typedef bool (*xs_timeline_take)(void *data, const struct xs_timeline_row *row);

/* The rows of a kind that ran, in the order of the table. For what adds up millions: nothing is joined or sorted.
 * Negative status: the message is set. */
int xs_timeline_scan(const struct xs_trace *trace, enum xs_timeline_kind kind, xs_timeline_take take, void *data,
                     char *message);

/* All calls (from TRANSFER to FREE), or all work, as one sequence by start, the longer of two that start together
 * first: what failed or was captured as well, with names, and several rows of one call as one. Negative status: the
 * message is set. */
int xs_timeline_merge(const struct xs_trace *trace, bool work, xs_timeline_take take, void *data, char *message);

/* What a thread is called. */
struct xs_timeline_thread {
    bool known;
    int64_t tid;
    char *name; /* to be freed; NULL: the trace has none */
};
int xs_timeline_thread(const struct xs_trace *trace, int64_t id, struct xs_timeline_thread *thread, char *message);

#endif
