/* The rows of device_copy, device_memset and device_kernel as if device times had been recorded throughout: the
 * recorded and the modelled ones. They are in memory, 32 bytes each, because most values of a row are shared by many
 * rows: their shape. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_ROWS_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_ROWS_H

#include <stdbool.h>

#include "analyzer/base/hash.h"
#include "schema/read/trace.h"

enum xs_modelled_table { XS_MODELLED_COPY, XS_MODELLED_MEMSET, XS_MODELLED_KERNEL, XS_MODELLED_TABLES };

/* NULL as a value of a shape. */
#define XS_SHAPE_NULL INT64_MIN

/* The values of a shape; the first ones belong to all tables. */
enum xs_shape_value {
    XS_SHAPE_DEVICE,
    XS_SHAPE_CONTEXT, /* context and stream as CUPTI numbers them */
    XS_SHAPE_STREAM,
    XS_SHAPE_GRAPH,
    XS_SHAPE_NODE,
    XS_SHAPE_OWN,
    XS_SHAPE_KIND = XS_SHAPE_OWN, /* from here on: of a copy */
    XS_SHAPE_SRC_KIND,
    XS_SHAPE_DST_KIND,
    XS_SHAPE_SRC_DEVICE,
    XS_SHAPE_DST_DEVICE,
    XS_SHAPE_IS_ASYNC,
    XS_SHAPE_COPIES,
    XS_SHAPE_VALUE = XS_SHAPE_OWN, /* from here on: of a memset */
    XS_SHAPE_MEMORY_KIND,
    XS_SHAPE_NAME = XS_SHAPE_OWN, /* from here on: of a kernel */
    XS_SHAPE_GRID,
    XS_SHAPE_VALUES = XS_SHAPE_GRID + 6,
};

struct xs_shape {
    int64_t values[XS_SHAPE_VALUES];
};

struct xs_modelled_row {
    int64_t start_ns, end_ns; /* start XS_SHAPE_NULL: no times */
    uint64_t bytes;
    uint32_t number; /* the call's number; ascending in a table */
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

/* The columns of the tables in the order of the schema, and where their values are in a row. */
enum { XS_COLUMN_ID = -6, XS_COLUMN_NUMBER, XS_COLUMN_BYTES, XS_COLUMN_START, XS_COLUMN_END, XS_COLUMN_MODELLED };
struct xs_modelled_column {
    const char *name;
    int place; /* enum xs_shape_value, or a XS_COLUMN_ */
};
struct xs_modelled_table_kind {
    const char *name;
    const struct xs_modelled_column *columns;
    int count;
};
extern const struct xs_modelled_table_kind xs_modelled_table_kinds[XS_MODELLED_TABLES];

/* The number of a shape; equal shapes have one number. */
uint32_t xs_shape_number(struct xs_modelled_tables *tables, const struct xs_shape *shape);

/* Adds a row and returns its index. */
size_t xs_modelled_add(struct xs_modelled_tables *tables, enum xs_modelled_table table,
                       const struct xs_modelled_row *row);

void xs_modelled_tables_free(struct xs_modelled_tables *tables);

/* A row that was recorded. */
struct xs_recorded {
    uint32_t correlation; /* CUPTI's */
    uint32_t order;       /* position in the order of reading */
    uint8_t table;        /* enum xs_modelled_table */
    bool taken;           /* for the first row of a call: the call was found */
    struct xs_modelled_row row;
};

struct xs_recordings {
    struct xs_recorded *items; /* by correlation, then in the order of reading */
    size_t count, capacity;
};

/* Reads all recorded rows. Negative status: the message is set. To be freed. */
int xs_recordings_read(struct xs_recordings *recordings, struct xs_modelled_tables *tables,
                       const struct xs_trace *trace, char *message);
void xs_recordings_free(struct xs_recordings *recordings);

/* The first row of a call, and its number of rows in all tables; NULL: the call has none. */
struct xs_recorded *xs_recordings_find(const struct xs_recordings *recordings, uint32_t correlation, size_t *count);

#endif
