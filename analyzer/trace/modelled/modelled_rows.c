/* Keeps rows in memory, and reads the recorded ones; see modelled_rows.h. */
#include "analyzer/trace/modelled/modelled_rows.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/scan.h"

const char *const xs_modelled_names[XS_MODELLED_TABLES] = {"device_copy", "device_memset", "device_kernel"};

static const struct {
    const char *name;
    int index;
} known[] = {{"id", XS_COLUMN_ID},
             {"correlation", XS_COLUMN_NUMBER},
             {"start_ns", XS_COLUMN_START},
             {"end_ns", XS_COLUMN_END},
             {"bytes", XS_COLUMN_BYTES},
             {"device", XS_SHAPE_DEVICE},
             {"cupti_context", XS_SHAPE_CONTEXT},
             {"cupti_stream", XS_SHAPE_STREAM},
             {"graph", XS_SHAPE_GRAPH},
             {"graph_node", XS_SHAPE_NODE},
             {"kind", XS_SHAPE_KIND},
             {"src_kind", XS_SHAPE_SRC_KIND},
             {"dst_kind", XS_SHAPE_DST_KIND},
             {"src_device", XS_SHAPE_SRC_DEVICE},
             {"dst_device", XS_SHAPE_DST_DEVICE},
             {"is_async", XS_SHAPE_IS_ASYNC},
             {"copies", XS_SHAPE_COPIES},
             {"value", XS_SHAPE_VALUE},
             {"memory_kind", XS_SHAPE_MEMORY_KIND},
             {"name", XS_SHAPE_NAME},
             {"grid_x", XS_SHAPE_GRID},
             {"grid_y", XS_SHAPE_GRID + 1},
             {"grid_z", XS_SHAPE_GRID + 2},
             {"block_x", XS_SHAPE_GRID + 3},
             {"block_y", XS_SHAPE_GRID + 4},
             {"block_z", XS_SHAPE_GRID + 5}};

static void add_column(struct xs_modelled_columns *columns, const char *name, int from, int index) {
    struct xs_modelled_column *column = &columns->items[columns->count++];
    snprintf(column->name, sizeof column->name, "%s", name);
    column->from = from;
    column->index = index;
}

/* Takes the columns of a statement. A column for which a shape has no room any more is left out. */
static void find_columns(struct xs_modelled_columns *columns, sqlite3_stmt *all) {
    int count = sqlite3_column_count(all), other = XS_SHAPE_OTHERS;
    columns->count = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int i = 0; i < count; i++)
            if (!strcmp(sqlite3_column_name(all, i), known[k].name))
                add_column(columns, known[k].name, i, known[k].index);
    for (int i = 0; i < count && other < XS_SHAPE_VALUES; i++) {
        const char *name = sqlite3_column_name(all, i);
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            is_known = is_known || !strcmp(name, known[k].name);
        if (!is_known)
            add_column(columns, name, i, other++);
    }
    add_column(columns, "modelled", -1, XS_COLUMN_MODELLED);
}

uint32_t xs_shape_number(struct xs_modelled_tables *tables, const struct xs_shape *shape) {
    uint64_t low = 0x9e3779b97f4a7c15u, high = 0;
    for (int i = 0; i < XS_SHAPE_VALUES; i++) {
        low = xs_mix(low ^ (uint64_t)shape->values[i]);
        high = xs_mix(high + (uint64_t)shape->values[i] * 0x94d049bb133111ebu + 1);
    }
    uint64_t *number = xs_hash_put(&tables->shape_of, low, high);
    if (!*number) {
        xs_grow(&tables->shapes, tables->shape_count, &tables->shape_capacity, sizeof *tables->shapes);
        tables->shapes[tables->shape_count] = *shape;
        *number = ++tables->shape_count;
    }
    return (uint32_t)(*number - 1) & 0x7fffffffu;
}

size_t xs_modelled_add(struct xs_modelled_tables *tables, enum xs_modelled_table table,
                       const struct xs_modelled_row *row) {
    struct xs_modelled_rows *rows = &tables->of[table];
    xs_grow(&rows->items, rows->count, &rows->capacity, sizeof *rows->items);
    rows->items[rows->count] = *row;
    return rows->count++;
}

void xs_modelled_tables_free(struct xs_modelled_tables *tables) {
    for (unsigned i = 0; i < XS_MODELLED_TABLES; i++)
        free(tables->of[i].items);
    free(tables->shapes);
    xs_hash_free(&tables->shape_of);
    *tables = (struct xs_modelled_tables){0};
}

/* --- what was recorded --- */

static void read_row(struct xs_scan *scan, const struct xs_modelled_columns *columns, struct xs_recorded *recorded,
                     struct xs_shape *shape) {
    for (int i = 0; i < XS_SHAPE_VALUES; i++)
        shape->values[i] = XS_SHAPE_NULL;
    for (int i = 0; i < columns->count - 1; i++) { /* no trace has the last column, `modelled` */
        int index = columns->items[i].index, from = columns->items[i].from;
        int64_t value = xs_scan_int(scan, from);
        bool is_null = !value && xs_scan_null(scan, from);
        if (index >= 0)
            shape->values[index] = is_null ? XS_SHAPE_NULL : value;
        else if (index == XS_COLUMN_NUMBER)
            recorded->correlation = xs_scan_correlation(scan, from);
        else if (index == XS_COLUMN_BYTES)
            recorded->row.bytes = value > 0 ? (uint64_t)value : 0;
        else if ((index == XS_COLUMN_START &&
                  !xs_scan_times(scan, from, from + 1, &recorded->row.start_ns, &recorded->row.end_ns)) ||
                 (index == XS_COLUMN_END && is_null))
            recorded->row.start_ns = XS_SHAPE_NULL;
    }
}

static int read_table(struct xs_recordings *recordings, struct xs_modelled_tables *tables, unsigned table,
                      const struct xs_trace *trace, char *message) {
    struct xs_modelled_columns *columns = &tables->columns[table];
    struct xs_scan scan;
    xs_scan_format(&scan, trace, message, NULL, "SELECT * FROM %s ORDER BY id",
                   xs_modelled_names[table]); /* damaged rows are counted by later readers of the table */
    find_columns(columns, scan.statement);
    while (xs_scan_row(&scan)) {
        struct xs_shape shape;
        struct xs_recorded recorded = {.table = (uint8_t)table, .order = (uint32_t)recordings->count};
        read_row(&scan, columns, &recorded, &shape);
        recorded.row.shape = xs_shape_number(tables, &shape) & 0x7fffffffu;
        xs_grow(&recordings->items, recordings->count, &recordings->capacity, sizeof *recordings->items);
        recordings->items[recordings->count++] = recorded;
    }
    return xs_scan_end(&scan);
}

static int by_correlation(const void *a, const void *b) {
    const struct xs_recorded *x = a, *y = b;
    return xs_compare(x->correlation, y->correlation) ?: xs_compare(x->order, y->order);
}

int xs_recordings_read(struct xs_recordings *recordings, struct xs_modelled_tables *tables,
                       const struct xs_trace *trace, char *message) {
    int status = XS_OK;
    *recordings = (struct xs_recordings){0};
    for (unsigned table = 0; table < XS_MODELLED_TABLES && status >= 0; table++)
        status = read_table(recordings, tables, table, trace, message);
    xs_sort(recordings->items, recordings->count, sizeof *recordings->items, by_correlation);
    return status;
}

void xs_recordings_free(struct xs_recordings *recordings) {
    free(recordings->items);
    *recordings = (struct xs_recordings){0};
}

static bool is_less(const void *recorded, const void *correlation) {
    return ((const struct xs_recorded *)recorded)->correlation < *(const uint32_t *)correlation;
}

struct xs_recorded *xs_recordings_find(const struct xs_recordings *recordings, uint32_t correlation, size_t *count) {
    *count = 0;
    if (!correlation)
        return NULL;
    size_t first = xs_search(recordings->items, recordings->count, sizeof *recordings->items, is_less, &correlation);
    for (size_t i = first; i < recordings->count && recordings->items[i].correlation == correlation; i++)
        ++*count;
    return *count ? &recordings->items[first] : NULL;
}
