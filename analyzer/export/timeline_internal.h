/* Between the files that make a timeline; for nobody else. */
#ifndef XFERSPY_ANALYZER_EXPORT_TIMELINE_INTERNAL_H
#define XFERSPY_ANALYZER_EXPORT_TIMELINE_INTERNAL_H

#include <sqlite3.h>

#include "analyzer/base/hash.h"
#include "analyzer/export/timeline.h"

/* The first pid or tid that Linux never gives. */
enum { XS_NO_PROCESS = 1 << 22 };

struct xs_timeline {
    const struct xs_export *e;
    const struct xs_timeline_sink *sink;
    struct xs_track **tracks; /* all of them; owned, with their names */
    size_t track_count, track_capacity;
    const struct xs_track *process;
    struct xs_hash places; /* site to a text's address: where in the program */
    struct xs_cell arguments[32];
    struct xs_string names, categories; /* of findings */
};

/* What every statement of a source begins with; the arguments of a slice follow in columns of their own names. */
enum xs_source_column {
    XS_COLUMN_START,
    XS_COLUMN_END, /* NULL: not measured */
    XS_COLUMN_NAME,
    XS_COLUMN_CATEGORY,
    XS_COLUMN_TABLE, /* enum xs_evidence_table, -1: none */
    XS_COLUMN_ID,    /* of the row there, or the first of several */
    XS_COLUMN_ROWS,  /* how many: ID, ID + 1, ... */
    XS_COLUMN_ENTRY, /* entry_point.id */
    XS_COLUMN_STACK,
    XS_COLUMN_FLOW, /* correlation; NULL: none */
    XS_COLUMN_OWN,  /* from here on what host and device each have */
};

/* Adds a track and tells the sink; number 0: one that no process has is taken. The name is copied. */
const struct xs_track *xs_timeline_track(struct xs_timeline *t, enum xs_track_kind kind, const struct xs_track *parent,
                                         const char *name, int64_t number);

/* Reads several statements as one sequence by start, longer first; `take` is called on each row. */
int xs_timeline_merge(struct xs_timeline *t, const char *const *sql, size_t count,
                      void (*take)(void *data, sqlite3_stmt *row), void *data);

/* Fills in a slice from the columns above and the arguments from `first_argument` on; the track is the caller's. Valid until the next call. */
void xs_timeline_slice(struct xs_timeline *t, sqlite3_stmt *row, int first_argument, struct xs_slice *slice);

static inline int64_t xs_timeline_ns(sqlite3_stmt *row, int column) {
    int64_t ns = sqlite3_column_int64(row, column);
    return ns < 0 ? 0 : ns;
}

int xs_timeline_host(struct xs_timeline *t);
int xs_timeline_device(struct xs_timeline *t);
int xs_timeline_memory(struct xs_timeline *t);

/* Bytes a second of copies that may overlap, as a counter: told of each in the order of their starts. */
struct xs_rate {
    const struct xs_track *track;
    struct xs_rate_copy {
        int64_t end_ns;
        double rate;
    } * under_way; /* a heap, the first to end on top */
    size_t count, capacity;
    double sum;
};
void xs_rate_add(struct xs_timeline *t, struct xs_rate *rate, int64_t start_ns, int64_t end_ns, uint64_t bytes);
void xs_rate_end(struct xs_timeline *t, struct xs_rate *rate); /* and frees */

#endif
