/* Reads the rows of a trace as one stream in host order: transfers, memsets, allocations, launches, waits, other calls
 * and migrations. Rows are stored nearly in order of time, so each table is read by row id, and a few rows are kept in
 * memory to be sorted; SQLite sorts a table whose rows are too far out of order. An event has only what its row says.
 * Callers add device records, contents and what the residency model knows. */
#ifndef XFERSPY_ANALYZER_TRACE_EVENTS_H
#define XFERSPY_ANALYZER_TRACE_EVENTS_H

#include "analyzer/base/order.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/trace_event.h"

/* The tables of events. If times are equal, the row of the table that is listed first takes effect first. */
enum xs_source_index {
    XS_SOURCE_ALLOCATION,
    XS_SOURCE_TRANSFER,
    XS_SOURCE_MEMSET,
    XS_SOURCE_LAUNCH,
    XS_SOURCE_SYNC,
    XS_SOURCE_API,
    XS_SOURCE_MIGRATION,
    XS_SOURCES,
};

/* The row of an allocation. An event XS_ON_ALLOCATION has this row until the residency model has made the struct
 * xs_allocation of the event. */
struct xs_allocation_row {
    uint64_t address, bytes;
    enum xs_memory_kind kind;
    enum xs_origin origin;
    int32_t device;
    int32_t free_entry_point, free_thread;
    int64_t enter_ns, free_enter_ns, free_return_ns; /* INT64_MAX: never */
};

/* An event that waits to be sorted, with values for which struct xs_trace_event has no field. */
struct xs_row_event {
    struct xs_trace_event event;
    int64_t arguments;                   /* number of a launch's argument set; 0: the arguments were not seen */
    int64_t stack;                       /* stack.id, 0: not recorded */
    struct xs_allocation_row allocation; /* for XS_ON_ALLOCATION only; items of other tables are shorter and end before
                                          * this field */
};

/* Begins to read all events. In `events`, the sources have the numbers of xs_source_index, and the items are struct
 * xs_row_event, which the caller may change. `ahead` and `most_rows` are as in xs_merge_begin. */
struct xs_merge;
struct xs_ahead;
int xs_events_begin(struct xs_merge *events, const struct xs_trace *trace, struct xs_ahead *ahead, unsigned most_rows,
                    char *message, uint64_t *damaged);

/* Returns how many rows may be kept to be sorted. Few rows are enough if one thread made all calls. The rows of several
 * threads are written in chunks of one thread each, so more of them are out of order. */
unsigned xs_events_most_rows(const struct xs_trace *trace);

/* Describes one table that is read in order of time. exposure.c also uses this struct, for its intervals. */
struct xs_source_kind {
    const char *table;
    const char *time;    /* rows are sorted by this column, then by id */
    const char *where;   /* condition in SQL for the rows that are read; the check of the table's order uses it, too
                          * (but see checks_where) */
    const char *columns; /* the columns that are selected after id and the time */
    size_t item_bytes;
    /* Fills in a zeroed item from the row; false: the row is left out. */
    bool (*read)(struct xs_scan *scan, void *item);
    bool checks_where; /* true: `read` leaves out all rows that the condition excludes, so that the whole table may be
                        * read without the condition, which is faster (xs_scan_columns) */
};
/* Begins reading a table. The arguments are those of xs_merge_begin, but `most_rows` is never 0. */
struct xs_source;
struct xs_source *xs_source_begin(const struct xs_source_kind *kind, const struct xs_trace *trace,
                                  struct xs_ahead *ahead, unsigned most_rows, char *message, uint64_t *damaged);
/* Returns the next item. The item is valid until the next call of a function for this source. NULL: an error if *status
 * is negative, else the end. */
void *xs_source_peek(struct xs_source *source, struct xs_order_key *key, int *status);
void xs_source_pop(struct xs_source *source);
void xs_source_end(struct xs_source *source);

/* Reads several tables as one, in order of time. If two rows have the same time, the row of the table that is listed
 * first comes first. */
enum { XS_MERGED_MOST = 10 };
struct xs_merge {
    struct xs_source *sources[XS_MERGED_MOST];
    int64_t heads_ns[XS_MERGED_MOST];
    void *heads[XS_MERGED_MOST]; /* each source's next item; NULL: nothing is left */
    unsigned count;
    int taken; /* the source whose first item the caller still uses; -1: none */
};

/* Begins reading `count` tables. With `ahead`, its thread reads them (ahead.h), and the damaged rows are counted when
 * it ends; NULL: the caller's thread. Up to `most_rows` rows of each table are kept in memory to be sorted; if a table
 * needs more rows, SQLite sorts the table. If `most_rows` is 0, the result of xs_events_most_rows is used. Negative
 * status: the message is set. Call xs_merge_end even after an error. */
int xs_merge_begin(struct xs_merge *merge, const struct xs_source_kind *kinds, unsigned count,
                   const struct xs_trace *trace, struct xs_ahead *ahead, unsigned most_rows, char *message,
                   uint64_t *damaged);
void xs_merge_end(struct xs_merge *merge);

/* Sets the time and the source of the next item. Returns 1, or 0 at the end, or a negative status with the message
 * set. */
int xs_merge_peek(struct xs_merge *merge, int64_t *ns, unsigned *source);

/* Returns the next item, which belongs to the source that xs_merge_peek returned. The item is valid until the next call
 * of xs_merge_peek. */
void *xs_merge_take(struct xs_merge *merge, unsigned source);

#endif
