/* The rows of a trace as one stream in host order: transfers, memsets, allocations and their ends, launches, waits,
 * other calls, migrations. Rows lie nearly in order of time, so each table is read by row id and a few rows wait to
 * be sorted; SQLite sorts a table whose rows lie too far apart. The events are rows only: callers join device
 * records, contents and what the residency model knows. */
#ifndef XFERSPY_ANALYZER_TRACE_EVENTS_H
#define XFERSPY_ANALYZER_TRACE_EVENTS_H

#include "analyzer/base/order.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/trace_event.h"

/* The tables of events. Where times are equal, an earlier table's row takes effect first. */
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

/* An allocation's row; XS_ON_ALLOCATION carries it until the residency model has made its own allocation. */
struct xs_allocation_row {
    uint64_t address, bytes;
    enum xs_memory_kind kind;
    enum xs_origin origin;
    int32_t device;
    int32_t free_entry_point, free_thread;
    int64_t enter_ns, free_enter_ns, free_return_ns; /* INT64_MAX: never */
};

/* An event that waits to be sorted, and what does not fit into struct xs_trace_event. */
struct xs_row_event {
    struct xs_trace_event event;
    int64_t arguments;                   /* argument set of a launch, 0: not seen */
    int64_t stack;                       /* stack.id, 0: not recorded */
    struct xs_allocation_row allocation; /* for XS_ON_ALLOCATION; items of other tables end before this field */
};

struct xs_source;

struct xs_events {
    struct xs_source *sources[XS_SOURCES];
    struct xs_order_key heads[XS_SOURCES]; /* key of each source's next item; ns and id INT64_MAX: nothing is left */
    bool alive[XS_SOURCES];
    unsigned taken; /* index plus 1 of the source whose first item was handed out and is still in use */
};

/* Up to `window` rows of a table wait to be sorted, if that suffices; 0: as many as xs_events_window says. Negative
 * status: the message is set. Call xs_events_end even after an error. */
int xs_events_begin(struct xs_events *events, const struct xs_trace *trace, unsigned window, char *message,
                    uint64_t *damaged);
void xs_events_end(struct xs_events *events);

/* The time of the next event: 1, or 0 at the end, or a negative status with the message set. */
int xs_events_peek(struct xs_events *events, int64_t *ns, enum xs_source_index *source);

/* The next event, of the source that peek named. The caller may change it; it is valid until the next peek. */
int xs_events_take(struct xs_events *events, enum xs_source_index source, struct xs_row_event **row);

/* How many rows may wait to be sorted: few if one thread wrote the trace. Rows of several threads are taken over
 * chunk by chunk. */
unsigned xs_events_window(const struct xs_trace *trace);

/* One table in order of time; exposure.c reads its intervals with it, too. */
struct xs_source_kind {
    const char *table;
    const char *time;    /* rows are sorted by this column, then by id */
    const char *where;   /* which rows: a condition of SQL; the check of the table's order uses it, too */
    const char *columns; /* after id and the time */
    size_t item_bytes;
    /* Fills in a zeroed item from the row; false: the row is left out. */
    bool (*read)(struct xs_scan *scan, void *item);
};
/* Here `window` is never 0. */
struct xs_source *xs_source_begin(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned window,
                                  char *message, uint64_t *damaged);
/* The next item; valid until the next call. NULL: the end, or an error in *status. */
void *xs_source_peek(struct xs_source *source, struct xs_order_key *key, int *status);
void xs_source_pop(struct xs_source *source);
void xs_source_end(struct xs_source *source);

#endif
