/* The rows of device_copy, device_memset and device_kernel as they would be had the device's times been recorded
 * throughout: those that were, and those that are modelled. They are in memory, 32 bytes each, since most of what a row
 * says is the same for many: their shape. */
#ifndef XFERSPY_ANALYZER_MODELLED_ROWS_H
#define XFERSPY_ANALYZER_MODELLED_ROWS_H

#include <stdbool.h>

#include "analyzer/base/hash.h"
#include "schema/read/trace.h"

enum xs_modelled_table { XS_MODELLED_COPY, XS_MODELLED_MEMSET, XS_MODELLED_KERNEL, XS_MODELLED_TABLES };

/* A NULL of a shape. */
#define XS_SHAPE_NULL INT64_MIN

/* What a shape says, by table; the first ones are of every table. */
enum xs_shape_value {
    XS_SHAPE_DEVICE,
    XS_SHAPE_CONTEXT, /* CUPTI's numbers of context and stream */
    XS_SHAPE_STREAM,
    XS_SHAPE_GRAPH,
    XS_SHAPE_NODE,
    XS_SHAPE_OWN,
    XS_SHAPE_KIND = XS_SHAPE_OWN, /* of a copy */
    XS_SHAPE_SRC_KIND,
    XS_SHAPE_DST_KIND,
    XS_SHAPE_SRC_DEVICE,
    XS_SHAPE_DST_DEVICE,
    XS_SHAPE_IS_ASYNC,
    XS_SHAPE_COPIES,
    XS_SHAPE_VALUE = XS_SHAPE_OWN, /* of a memset */
    XS_SHAPE_MEMORY_KIND,
    XS_SHAPE_NAME = XS_SHAPE_OWN, /* of a kernel; six numbers of its grid follow */
    XS_SHAPE_GRID,
    XS_SHAPE_VALUES = XS_SHAPE_GRID + 6,
};

struct xs_shape {
    int64_t values[XS_SHAPE_VALUES];
};

struct xs_modelled_row {
    int64_t start_ns, end_ns; /* start XS_SHAPE_NULL: there are no times */
    uint64_t bytes;
    uint32_t number; /* of the call; ascending in a table */
    uint32_t shape : 31, modelled : 1;
};

struct xs_modelled_rows {
    struct xs_modelled_row *items; /* the id of a row is its index plus 1 */
    size_t count, capacity;
};

struct xs_modelled_tables {
    struct xs_modelled_rows of[XS_MODELLED_TABLES];
    struct xs_shape *shapes;
    size_t shape_count, shape_capacity;
    struct xs_hash shape_of;
};

/* The columns of the tables in the order of the schema, and where a row has them. */
enum { XS_COLUMN_ID = -6, XS_COLUMN_NUMBER, XS_COLUMN_BYTES, XS_COLUMN_START, XS_COLUMN_END, XS_COLUMN_MODELLED };
struct xs_modelled_column {
    const char *name;
    int place; /* enum xs_shape_value, or one of the above */
};
struct xs_modelled_table_kind {
    const char *name;
    const struct xs_modelled_column *columns;
    int count;
};
extern const struct xs_modelled_table_kind xs_modelled_table_kinds[XS_MODELLED_TABLES];

/* The number of a shape; equal ones have the same. */
uint32_t xs_shape_number(struct xs_modelled_tables *tables, const struct xs_shape *shape);

/* Adds a row and returns its index. */
size_t xs_modelled_add(struct xs_modelled_tables *tables, enum xs_modelled_table table,
                       const struct xs_modelled_row *row);

void xs_modelled_tables_free(struct xs_modelled_tables *tables);

/* A row that was recorded. */
struct xs_recorded {
    uint32_t correlation; /* CUPTI's */
    uint32_t order;       /* in which it was read */
    uint8_t table;        /* enum xs_modelled_table */
    bool taken;           /* of the first of a call: the call was met */
    struct xs_modelled_row row;
};

struct xs_recordings {
    struct xs_recorded *items; /* by correlation, then as they were read */
    size_t count, capacity;
};

/* Reads what was recorded. Negative status: the message is set. To be freed. */
int xs_recordings_read(struct xs_recordings *recordings, struct xs_modelled_tables *tables,
                       const struct xs_trace *trace, char *message);
void xs_recordings_free(struct xs_recordings *recordings);

/* The first row of a call, and how many rows it has, of all tables; NULL: it has none. */
struct xs_recorded *xs_recordings_find(const struct xs_recordings *recordings, uint32_t correlation, size_t *count);

#endif
