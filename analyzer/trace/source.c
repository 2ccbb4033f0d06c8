/* Reads one table, or several as one, in order of time; see events.h. A table is read by row id, with some rows kept in
 * memory to be sorted, or SQLite sorts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/ahead.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/in_order.h"

enum { MANY_ROWS = 1 << 17, SORTED = 0 };

struct xs_source {
    struct xs_source_kind kind;
    struct xs_scan scan;
    struct xs_order order;
    bool sorted, ended;
    int64_t last_ns;
    int status;
    struct xs_ahead *ahead; /* its thread reads the rows, and the other fields are not used; NULL: this source does */
    int table;              /* number of the table there */
};

/* Begins to read all rows of the table; the condition is not used. */
static void begin_columns(struct xs_scan *scan, const struct xs_source_kind *kind, const struct xs_trace *trace,
                          char *message, uint64_t *damaged) {
    XS_SCOPED_STRING columns = {0};
    xs_string_format(&columns, "id, %s, %s", kind->time, kind->columns);
    xs_scan_columns(scan, trace, kind->table, columns.data, message, damaged);
}

/* True if all rows can be put into order with at most `most_rows` rows in memory. */
static bool fits(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned most_rows) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    struct xs_order order;
    struct xs_order_key first;
    bool fit = true;
    XS_SCOPED char *item = xs_zeroed(1, kind->item_bytes);
    bool reads_item = kind->checks_where && strcmp(kind->where, "1") != 0;
    if (reads_item)
        begin_columns(&scan, kind, trace, message, NULL);
    else
        xs_scan_format(&scan, trace, message, NULL, "SELECT id, %s FROM %s WHERE %s ORDER BY id", kind->time,
                       kind->table, kind->where);
    xs_order_begin(&order, 0, most_rows);
    while (fit && xs_scan_row(&scan)) {
        if (reads_item && !kind->read(&scan, item))
            continue;
        if (xs_order_is_full(&order) && xs_order_first(&order, &first))
            xs_order_pop(&order);
        struct xs_order_key key = {xs_scan_int(&scan, 1), xs_scan_int(&scan, 0)};
        fit = xs_order_put(&order, xs_order_slot(&order), key);
    }
    xs_order_free(&order);
    xs_scan_end(&scan); /* the reader of the rows will meet the same error */
    return fit;
}

/* Decides how many rows are kept in memory. For this the times of the whole table are read beforehand, because an event
 * that the caller has received cannot be taken back if an earlier one comes late. If all rows are in order, so are
 * those that the condition chooses. */
static unsigned most_rows_of(const struct xs_source_kind *kind, const struct xs_trace *trace, unsigned most_rows) {
    if (xs_is_in_order(trace, kind->table, kind->time) || fits(kind, trace, most_rows))
        return most_rows;
    return fits(kind, trace, MANY_ROWS) ? MANY_ROWS : SORTED;
}

struct xs_source *xs_source_begin(const struct xs_source_kind *kind, const struct xs_trace *trace,
                                  struct xs_ahead *ahead, unsigned most_rows, char *message, uint64_t *damaged) {
    struct xs_source *source = xs_realloc(NULL, sizeof *source);
    int table = ahead ? xs_ahead_add(ahead, kind, most_rows, message, damaged) : -1;
    if (table >= 0) {
        *source = (struct xs_source){.ahead = ahead, .table = table};
        return source;
    }
    most_rows = most_rows_of(kind, trace, most_rows);
    *source = (struct xs_source){.kind = *kind, .sorted = most_rows == SORTED, .last_ns = INT64_MIN};
    xs_order_begin(&source->order, kind->item_bytes, source->sorted ? 1 : most_rows);
    if (kind->checks_where && !source->sorted)
        begin_columns(&source->scan, kind, trace, message, damaged);
    else
        xs_scan_format(&source->scan, trace, message, damaged, "SELECT id, %s, %s FROM %s WHERE %s ORDER BY %s%sid",
                       kind->time, kind->columns, kind->table, kind->where, source->sorted ? kind->time : "",
                       source->sorted ? ", " : "");
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
        void *item = xs_order_slot(&source->order);
        memset(item, 0, source->kind.item_bytes);
        if (!source->kind.read(&source->scan, item))
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
    if (source->ahead)
        return xs_ahead_peek(source->ahead, source->table, key, status);
    fill(source);
    *status = source->status;
    return source->status < 0 ? NULL : xs_order_first(&source->order, key);
}

void xs_source_pop(struct xs_source *source) {
    if (source->ahead)
        xs_ahead_pop(source->ahead, source->table);
    else
        xs_order_pop(&source->order);
}

void xs_source_end(struct xs_source *source) {
    if (!source)
        return;
    if (source->ahead)
        xs_ahead_drop(source->ahead, source->table);
    xs_scan_end(&source->scan);
    xs_order_free(&source->order);
    free(source);
}

unsigned xs_events_most_rows(const struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES];
    int64_t threads;
    int status = xs_scan_one(trace, "SELECT count(*) FROM thread", &threads, message);
    return status >= 0 && threads <= 1 ? 1024 : 16384;
}

/* --- several tables --- */

static int look(struct xs_merge *merge, unsigned i) {
    struct xs_order_key key = {0};
    int status;
    merge->heads[i] = xs_source_peek(merge->sources[i], &key, &status);
    merge->heads_ns[i] = key.ns;
    return status;
}

int xs_merge_begin(struct xs_merge *merge, const struct xs_source_kind *kinds, unsigned count,
                   const struct xs_trace *trace, struct xs_ahead *ahead, unsigned most_rows, char *message,
                   uint64_t *damaged) {
    int status = XS_OK;
    *merge = (struct xs_merge){.count = count, .taken = -1};
    most_rows = most_rows ? most_rows : xs_events_most_rows(trace);
    for (unsigned i = 0; i < count; i++)
        merge->sources[i] = xs_source_begin(&kinds[i], trace, ahead, most_rows, message, damaged);
    for (unsigned i = 0; i < count && status >= 0; i++)
        status = look(merge, i);
    return status;
}

void xs_merge_end(struct xs_merge *merge) {
    for (unsigned i = 0; i < merge->count; i++)
        xs_source_end(merge->sources[i]);
    *merge = (struct xs_merge){0};
}

int xs_merge_peek(struct xs_merge *merge, int64_t *ns, unsigned *source) {
    bool any = false;
    if (merge->taken >= 0) { /* the caller no longer uses that source's first item */
        unsigned taken = (unsigned)merge->taken;
        merge->taken = -1;
        xs_source_pop(merge->sources[taken]);
        int status = look(merge, taken);
        if (status < 0)
            return status;
    }
    for (unsigned i = 0; i < merge->count; i++) {
        if (merge->heads[i] && (!any || merge->heads_ns[i] < *ns)) {
            *ns = merge->heads_ns[i];
            *source = i;
            any = true;
        }
    }
    return any;
}

void *xs_merge_take(struct xs_merge *merge, unsigned source) {
    merge->taken = (int)source;
    return merge->heads[source];
}
