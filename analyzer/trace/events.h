/* The rows of a trace as one stream in host order: transfers, memsets, allocations and their ends, launches, waits,
 * other calls, migrations. Each table is read by row id with a window of rows waiting, since rows lie nearly in order;
 * a table whose rows do not is sorted by SQLite. Rows only: device records, contents and the model's part are joined by
 * others. */
#ifndef XFERSPY_ANALYZER_TRACE_EVENTS_H
#define XFERSPY_ANALYZER_TRACE_EVENTS_H

#include "analyzer/base/order.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/trace_event.h"

/* The tables of events, in the order of what takes effect first where times are equal. */
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

/* An allocation's row: XS_ON_ALLOCATION carries it until the model has made its own. */
struct xs_allocation_row {
    uint64_t address, bytes;
    enum xs_memory_kind kind;
    enum xs_origin origin;
    int32_t device;
    int32_t free_entry_point, free_thread;
    int64_t enter_ns, free_enter_ns, free_return_ns; /* INT64_MAX: never */
};

/* What waits in a window: the event, and what does not fit into it. */
struct xs_row_event {
    struct xs_trace_event event;
    int64_t arguments;                   /* argument set of a launch, 0: not seen */
    int64_t stack;                       /* stack.id, 0: not recorded */
    struct xs_allocation_row allocation; /* of XS_ON_ALLOCATION; other tables' rows end before it */
};

struct xs_source;

struct xs_events {
    struct xs_source *sources[XS_SOURCES];
    struct xs_order_key heads[XS_SOURCES]; /* of what each would give next; ns INT64_MAX and id INT64_MAX: nothing */
    bool alive[XS_SOURCES];
    unsigned taken; /* a source's index plus 1: its first item was handed out and is still in use */
};

/* `window` rows may wait, where that suffices; 0: as xs_events_window says. Negative status: the message is set. Always
 * to be ended. */
int xs_events_begin(struct xs_events *events, const struct xs_trace *trace, unsigned window, char *message,
                    uint64_t *damaged);
void xs_events_end(struct xs_events *events);

/* The time of the next event: 1, or 0 at the end, or a negative status with the message set. */
int xs_events_peek(struct xs_events *events, int64_t *ns, enum xs_source_index *source);

/* The next event, which is of the source that peek named; valid until the next peek, and the caller's to change. */
int xs_events_take(struct xs_events *events, enum xs_source_index source, struct xs_row_event **row);

/* Rows that may wait, for a trace: few where one thread wrote it. Several threads' rows are taken over chunk by
 * chunk. */
unsigned xs_events_window(const struct xs_trace *trace);

/* One table in order of time; also what exposure.c reads its intervals with. */
struct xs_source_kind {
    const char *table;
    const char *time;    /* the column that rows are put into order by; then by id */
    const char *where;   /* which rows: a condition of SQL */
    const char *columns; /* behind id and the time */
    size_t item_bytes;
    /* Fills in an item, which is zeroed, from the row; false: leave it out. */
    bool (*read)(struct xs_scan *scan, void *item);
};
/* `window` as of xs_events_begin, but not 0. */
struct xs_source *xs_source_begin(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned window,
                                  char *message, uint64_t *damaged);
/* The next item, NULL at the end or on error (*status); it stays valid until the next call. */
void *xs_source_peek(struct xs_source *source, struct xs_order_key *key, int *status);
void xs_source_pop(struct xs_source *source);
void xs_source_end(struct xs_source *source);

#endif
