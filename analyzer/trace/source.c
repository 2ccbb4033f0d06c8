/* Reads one table in order of time: either by row id, with some rows kept in memory to be sorted, or sorted by SQLite;
 * see events.h. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/events.h"

enum { WIDE_WINDOW = 1 << 17, SORTED = 0 };

struct xs_source {
    const struct xs_source_kind *kind;
    struct xs_scan scan;
    struct xs_order order;
    bool sorted, ended;
    int64_t last_ns;
    int status;
};

/* True if all rows can be put into order with at most `window` rows in memory. */
static bool fits(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned window) {
    char sql[256], message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    struct xs_order order;
    struct xs_order_key first;
    bool fit = true;
    snprintf(sql, sizeof sql, "SELECT id, %s FROM %s WHERE %s ORDER BY id", kind->time, kind->table, kind->where);
    xs_scan_begin(&scan, trace, sql, message, NULL);
    xs_order_begin(&order, 0, window);
    while (fit && xs_scan_row(&scan)) {
        if (xs_order_is_full(&order) && xs_order_first(&order, &first))
            xs_order_pop(&order);
        struct xs_order_key key = {xs_scan_int(&scan, 1), xs_scan_int(&scan, 0)};
        fit = xs_order_put(&order, xs_order_place(&order), key);
    }
    xs_order_free(&order);
    xs_scan_end(&scan); /* the reader of the rows will meet the same error */
    return fit;
}

/* Decides how many rows are kept in memory. For this the times of the whole table are read beforehand, because an event
 * that the caller has received cannot be taken back if an earlier one comes late. This reads two of the thirty columns
 * of a transfer, and takes a few percent of an analysis. */
static unsigned window_of(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned window) {
    if (fits(kind, trace, window))
        return window;
    return fits(kind, trace, WIDE_WINDOW) ? WIDE_WINDOW : SORTED;
}

struct xs_source *xs_source_begin(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned window,
                                  char *message, uint64_t *damaged) {
    char sql[1024];
    struct xs_source *source = xs_realloc(NULL, sizeof *source);
    window = window_of(kind, trace, window);
    *source = (struct xs_source){.kind = kind, .sorted = window == SORTED, .last_ns = INT64_MIN};
    xs_order_begin(&source->order, kind->item_bytes, source->sorted ? 1 : window);
    snprintf(sql, sizeof sql, "SELECT id, %s, %s FROM %s WHERE %s ORDER BY %s%sid", kind->time, kind->columns,
             kind->table, kind->where, source->sorted ? kind->time : "", source->sorted ? ", " : "");
    xs_scan_begin(&source->scan, trace, sql, message, damaged);
    return source;
}

/* Puts an item into the order. Even rows that SQLite sorted can go back in time, if a value is no number; such a row
 * gets the time of the row before it. */
static bool put(struct xs_source *source, void *item) {
    struct xs_order_key key = {xs_scan_int(&source->scan, 1), xs_scan_int(&source->scan, 0)};
    if (source->sorted) {
        source->order.any_out = false;
        key.ns = key.ns < source->last_ns ? source->last_ns : key.ns;
        source->last_ns = key.ns;
    }
    return xs_order_put(&source->order, item, key);
}

static void fill(struct xs_source *source) {
    while (!source->ended && !xs_order_is_full(&source->order)) {
        if (!xs_scan_row(&source->scan)) {
            source->ended = true;
            source->status = source->scan.status;
            return;
        }
        void *item = xs_order_place(&source->order);
        memset(item, 0, source->kind->item_bytes);
        if (!source->kind->read(&source->scan, item))
            continue;
        if (!put(source, item)) {
            source->ended = true;
            source->status = XS_ERROR_CORRUPT;
            snprintf(source->scan.message, XS_TRACE_MESSAGE_BYTES, "%s: damaged: rows in no order",
                     source->scan.trace->path);
            return;
        }
    }
}

void *xs_source_peek(struct xs_source *source, struct xs_order_key *key, int *status) {
    fill(source);
    *status = source->status;
    return source->status < 0 ? NULL : xs_order_first(&source->order, key);
}

void xs_source_pop(struct xs_source *source) { xs_order_pop(&source->order); }

void xs_source_end(struct xs_source *source) {
    if (!source)
        return;
    xs_scan_end(&source->scan);
    xs_order_free(&source->order);
    free(source);
}

unsigned xs_events_window(const struct xs_trace *trace) {
    sqlite3_stmt *statement = NULL;
    int threads = 2;
    if (sqlite3_prepare_v2(trace->db, "SELECT count(*) FROM thread", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        threads = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return threads <= 1 ? 1024 : 16384;
}
