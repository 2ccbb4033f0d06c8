/* One table in order of time: rows by id through a window, or sorted by SQLite; see events.h. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/events.h"

struct xs_source {
    const struct xs_source_kind *kind;
    struct xs_scan scan;
    struct xs_order order;
    bool sorted, ended;
    int64_t last_ns;
    int status;
};

struct xs_source *xs_source_begin(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned window,
                                  unsigned sorted, char *message, uint64_t *damaged) {
    struct xs_source *source = xs_realloc(NULL, sizeof *source);
    bool by_sqlite = sorted >> kind->index & 1;
    *source = (struct xs_source){.kind = kind, .sorted = by_sqlite, .last_ns = INT64_MIN};
    xs_order_begin(&source->order, kind->item_bytes, by_sqlite ? 1 : window);
    xs_scan_table(&source->scan, trace, kind->table, kind->columns, by_sqlite ? kind->order : NULL,
                  (sorted & XS_PLAIN_READS) != 0, message, damaged);
    return source;
}

/* What SQLite sorted can still go back in time where a value is no number: then the time stands still. */
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
            source->status = XS_EVENTS_AGAIN;
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
