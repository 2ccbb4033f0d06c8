/* Holds the recorded and the modelled rows of device_copy, device_memset and device_kernel, as if device times had been
 * recorded throughout. The rows are in memory. A row takes only 32 bytes, because most of its values are stored in a
 * shape, which many rows share. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_ROWS_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_ROWS_H

#include <stdbool.h>

#include "analyzer/base/hash.h"
#include "schema/read/trace.h"

enum xs_modelled_table { XS_MODELLED_COPY, XS_MODELLED_MEMSET, XS_MODELLED_KERNEL, XS_MODELLED_TABLES };

/* The value of a shape that means NULL. */
#define XS_SHAPE_NULL INT64_MIN

/* Indexes of the values of a shape. The values before XS_SHAPE_OWN exist in all tables. */
enum xs_shape_value {
    XS_SHAPE_DEVICE,
    XS_SHAPE_CONTEXT, /* CUPTI's number of the context; the next value is CUPTI's number of the stream */
    XS_SHAPE_STREAM,
    XS_SHAPE_GRAPH,
    XS_SHAPE_NODE,
    XS_SHAPE_OWN,
    XS_SHAPE_KIND = XS_SHAPE_OWN, /* first of the values that only copies have */
    XS_SHAPE_SRC_KIND,
    XS_SHAPE_DST_KIND,
    XS_SHAPE_SRC_DEVICE,
    XS_SHAPE_DST_DEVICE,
    XS_SHAPE_IS_ASYNC,
    XS_SHAPE_COPIES,
    XS_SHAPE_VALUE = XS_SHAPE_OWN, /* first of the values that only memsets have */
    XS_SHAPE_MEMORY_KIND,
    XS_SHAPE_NAME = XS_SHAPE_OWN, /* first of the values that only kernels have */
    XS_SHAPE_GRID,
    XS_SHAPE_OTHERS = XS_SHAPE_GRID + 6, /* the values from this index on are columns that the model does not use */
    XS_SHAPE_VALUES = XS_SHAPE_OTHERS + 4,
};

struct xs_shape {
    int64_t values[XS_SHAPE_VALUES];
};

struct xs_modelled_row {
    int64_t start_ns, end_ns; /* start_ns is XS_SHAPE_NULL if there are no times */
    uint64_t bytes;
    uint32_t number; /* number of the call (xs_numbers); ascending in a table */
    uint32_t shape : 31, modelled : 1;
};

struct xs_modelled_rows {
    struct xs_modelled_row *items; /* the id of a row is its index plus 1 */
    size_t count, capacity;
};

/* The numbers of a table's columns that are not in a shape. */
enum { XS_COLUMN_ID = -6, XS_COLUMN_NUMBER, XS_COLUMN_BYTES, XS_COLUMN_START, XS_COLUMN_END, XS_COLUMN_MODELLED };
struct xs_modelled_column {
    char name[32];
    int from;  /* number of the column in the result of `SELECT *` from the trace's table; the column end_ns follows
                  start_ns */
    int index; /* where a row has the value: an enum xs_shape_value, or one of the numbers XS_COLUMN_... */
};
struct xs_modelled_columns {
    /* the first column is `id`, the second is the call's number, and the last is `modelled` */
    struct xs_modelled_column items[XS_SHAPE_VALUES + 6];
    int count;
};
extern const char *const xs_modelled_names[XS_MODELLED_TABLES];

struct xs_modelled_tables {
    struct xs_modelled_rows of[XS_MODELLED_TABLES];
    struct xs_modelled_columns columns[XS_MODELLED_TABLES];
    struct xs_shape *shapes;
    size_t shape_count, shape_capacity;
    struct xs_hash shape_of;
};

/* Returns the number of a shape; equal shapes have the same number. */
uint32_t xs_shape_number(struct xs_modelled_tables *tables, const struct xs_shape *shape);

/* Adds a row and returns its index. */
size_t xs_modelled_add(struct xs_modelled_tables *tables, enum xs_modelled_table table,
                       const struct xs_modelled_row *row);

void xs_modelled_tables_free(struct xs_modelled_tables *tables);

/* A row that was recorded. */
struct xs_recorded {
    uint32_t correlation; /* CUPTI's correlation number */
    uint32_t order;       /* position in the order of reading */
    uint8_t table;        /* enum xs_modelled_table */
    bool taken;           /* set in the first row of a call if the trace has the call */
    struct xs_modelled_row row;
};

struct xs_recordings {
    struct xs_recorded *items; /* sorted by correlation number, then in the order of reading */
    size_t count, capacity;
};

/* Reads the columns of the tables and all recorded rows. Negative status: the message is set. The caller frees
 * `recordings`. */
int xs_recordings_read(struct xs_recordings *recordings, struct xs_modelled_tables *tables,
                       const struct xs_trace *trace, char *message);
void xs_recordings_free(struct xs_recordings *recordings);

/* Returns the first row of a call. `count` gets the number of the call's rows in all tables. NULL: the call has
 * none. */
struct xs_recorded *xs_recordings_find(const struct xs_recordings *recordings, uint32_t correlation, size_t *count);

#endif
