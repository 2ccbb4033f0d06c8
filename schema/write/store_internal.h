/* The store's files share these declarations. Nothing outside schema/ includes this header. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_INTERNAL_H
#define XFERSPY_SCHEMA_WRITE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "schema/write/store.h"

enum xs_statement {
    XS_STMT_BEGIN,
    XS_STMT_COMMIT,
    XS_STMT_META,
    XS_STMT_META_READ,
    XS_STMT_META_REMOVE,
    XS_STMT_META_ADD,
    XS_STMT_ENDED,
    XS_STMT_NOTE,
    XS_STMT_ENTRY_POINT,
    XS_STMT_THREAD,
    XS_STMT_DEVICE,
    XS_STMT_CONTEXT,
    XS_STMT_CONTEXT_DEVICE,
    XS_STMT_STREAM,
    XS_STMT_KERNEL_NAME,
    XS_STMT_PROGRESS_SET,
    XS_STMT_PROGRESS_GET,
    XS_STMT_PROGRESS_CLEAR,
    XS_STMT_TRANSFER,
    XS_STMT_TRANSFER_SHAPE,
    XS_STMT_MEMSET,
    XS_STMT_ALLOC,
    XS_STMT_FREE,
    XS_STMT_LAUNCH,
    XS_STMT_LAUNCH_SHAPE,
    XS_STMT_SYNC,
    XS_STMT_API,
    XS_STMT_FINGERPRINT,
    XS_STMT_ARGUMENT_SET,
    XS_STMT_ARGUMENT,
    XS_STMT_MODULE,
    XS_STMT_STACK,
    XS_STMT_STACK_FRAME,
    XS_STMT_PYTHON_CODE,
    XS_STMT_NVTX_RANGE,
    XS_STMT_SOURCE_FILE,
    XS_STMT_SOURCE_LINE,
    XS_STMT_DEVICE_COPY,
    XS_STMT_DEVICE_COPY_SHAPE,
    XS_STMT_LATE_COPY,
    XS_STMT_DEVICE_MEMSET,
    XS_STMT_DEVICE_KERNEL,
    XS_STMT_DEVICE_KERNEL_SHAPE,
    XS_STMT_DEVICE_SYNC,
    XS_STMT_DEVICE_MIGRATION,
    XS_STMT_COUNT
};

struct xs_context_entry;
struct xs_stream_entry;
struct xs_name_entry;
struct xs_thread_entry;

struct xs_shape_entry;
struct xs_shapes { /* table of store_shapes.c */
    struct xs_shape_entry *entries;
    uint32_t places, count;
    bool is_full;
    uint32_t misses; /* misses since the table is full */
};

struct xs_store {
    sqlite3 *db;
    sqlite3_stmt *statements[XS_STMT_COUNT]; /* prepared at first use */
    struct xs_context_entry *contexts;       /* interning tables, store_intern.c */
    struct xs_stream_entry *streams;
    struct xs_name_entry *names;
    struct xs_thread_entry *threads;
    struct xs_shapes shapes;
    struct xs_thin *thin;        /* store_thin.c */
    struct xs_choice *choice;    /* thin_choice.c; NULL during the beginning, which is kept whole */
    int64_t thinned_rows;        /* rows dropped since the store was opened */
    uint32_t newest_correlation; /* newest correlation among the stored calls */
    bool in_batch;
    bool intern_changed; /* changed in this batch: a rollback makes the tables stale */
    int failure;         /* failure of this batch; SQLite may already have rolled back */
    char message[256];   /* message of the last error */
};

/* Converts an SQLite result code to a status; keeps the message of a failure, and during a batch the failure itself. */
int xs_store_status(struct xs_store *store, int rc);

/* Runs SQL without results, for pragmas and the schema. */
int xs_store_exec(struct xs_store *store, const char *sql);

/* A row is bound column by column in the order of its SQL. Every column of every statement is bound each time, so
 * statements are reset without being cleared. */
struct xs_row {
    struct xs_store *store;
    sqlite3_stmt *stmt; /* NULL: preparing it failed, `status` says why */
    int column;
    int status;
};

struct xs_row xs_row_start(struct xs_store *store, enum xs_statement which, const char *sql);
/* Runs a statement that returns no row. */
int xs_row_insert(struct xs_row *row);

static inline void xs_put(struct xs_row *row, int64_t value) { sqlite3_bind_int64(row->stmt, ++row->column, value); }
static inline void xs_put_null(struct xs_row *row) { sqlite3_bind_null(row->stmt, ++row->column); }
static inline void xs_put_u64(struct xs_row *row, uint64_t value) { xs_put(row, (int64_t)value); }
/* Binds the value, or NULL where `applies` is false. */
static inline void xs_put_if(struct xs_row *row, bool applies, int64_t value) {
    if (applies)
        xs_put(row, value);
    else
        xs_put_null(row);
}
static inline void xs_put_nonzero(struct xs_row *row, int64_t value) { xs_put_if(row, value != 0, value); }
static inline void xs_put_device(struct xs_row *row, int32_t device) { xs_put_if(row, device >= 0, device); }
/* Binds text that must stay in place until the row is inserted; NULL binds NULL. */
static inline void xs_put_bytes_as_text(struct xs_row *row, const void *text, size_t bytes) {
    sqlite3_bind_text(row->stmt, ++row->column, text, (int)bytes, SQLITE_STATIC);
}
static inline void xs_put_text(struct xs_row *row, const char *text) {
    sqlite3_bind_text(row->stmt, ++row->column, text, -1, SQLITE_STATIC);
}

/* A shape holds the values that rows of one kind share, in the column order of its table. */
enum xs_shape_kind { XS_SHAPE_TRANSFER, XS_SHAPE_LAUNCH, XS_SHAPE_DEVICE_COPY, XS_SHAPE_DEVICE_KERNEL };
enum { XS_SHAPE_COLUMNS = 27 };
struct xs_row_shape {
    int64_t values[XS_SHAPE_COLUMNS];
    uint32_t set;    /* bit i: values[i] is present, else NULL */
    uint32_t in_row; /* bits of the columns that the row itself must have */
    unsigned count;
};
/* Positions of the columns that a row may have instead of its shape, and their bits. */
enum { XS_SHAPE_BYTES = 3, XS_SHAPE_SRC_ADDRESS, XS_SHAPE_DST_ADDRESS, XS_SHAPE_SRC_ALLOCATION = 10 };
enum { XS_SHAPE_DST_ALLOCATION = 11, XS_SHAPE_ARGUMENTS = 15 };
#define XS_LOOSE_OF_TRANSFER                                                                                           \
    (1u << XS_SHAPE_BYTES | 1u << XS_SHAPE_SRC_ADDRESS | 1u << XS_SHAPE_DST_ADDRESS | 1u << XS_SHAPE_SRC_ALLOCATION |  \
     1u << XS_SHAPE_DST_ALLOCATION)
#define XS_LOOSE_OF_LAUNCH (1u << XS_SHAPE_ARGUMENTS)
#define XS_LOOSE_OF_DEVICE_COPY (1u << XS_SHAPE_BYTES)

static inline void xs_shape_put_if(struct xs_row_shape *shape, bool applies, int64_t value) {
    shape->values[shape->count] = applies ? value : 0;
    shape->set |= (uint32_t)applies << shape->count++;
}
static inline void xs_shape_put(struct xs_row_shape *shape, int64_t value) { xs_shape_put_if(shape, true, value); }
static inline void xs_shape_put_nonzero(struct xs_row_shape *shape, int64_t value) {
    xs_shape_put_if(shape, value != 0, value);
}
static inline void xs_shape_put_device(struct xs_row_shape *shape, int32_t device) {
    xs_shape_put_if(shape, device >= 0, device);
}
/* Binds a column for the row: NULL where the shape has it. */
static inline void xs_put_loose(struct xs_row *row, const struct xs_row_shape *shape, unsigned column) {
    xs_put_if(row, shape->in_row >> column & 1, shape->values[column]);
}

/* Finds or adds the shape and returns its number; `in_row` says which columns the shape leaves to the row. */
int xs_shape_find(struct xs_store *store, enum xs_shape_kind kind, struct xs_row_shape *shape, int64_t *id);
/* Forgets all shape numbers: a rollback may have undone some, or another process may have assigned them. */
void xs_shapes_forget(struct xs_store *store);

/* Number of tables that are thinned. */
enum { XS_THINNED_TABLES = 9, XS_THIN_STATEMENTS = 3 };
void xs_thin_free(struct xs_store *store);

#define XS_PAGE_BYTES 4096
#define XS_WAL_PAGES 1000

/* Number of values in an X-macro list of schema/format/kinds.h; they run from 0 to the number minus 1. */
#define XS_KIND_ONE(n, id, name) +1
#define XS_KIND_COUNT(list) (0 list(XS_KIND_ONE))
/* A kind unknown to this version (CUPTI grows, a spool may be damaged) becomes 0, unknown. */
#define XS_KIND_OR_ZERO(list, value) ((unsigned)(value) < (unsigned)XS_KIND_COUNT(list) ? (value) : 0)

/* Interned objects have rows; 0 in `*id` stands for NULL. */
int xs_intern_context(struct xs_store *store, uint64_t handle, int64_t *id);
int xs_intern_stream(struct xs_store *store, const struct xs_event *event, int64_t context, uint32_t thread,
                     int64_t *id);
int xs_intern_kernel_name(struct xs_store *store, const char *name, int64_t *id);
int xs_intern_load(struct xs_store *store); /* reads all of them back from the trace */
void xs_intern_free(struct xs_store *store);

/* Adds to a number in meta; a missing one counts as 0. */
int xs_store_meta_add(struct xs_store *store, const char *key, int64_t value);

/* Reads a text from meta; false where it is missing or does not fit. */
#define XS_META_SPOOL_ID "spool.id"
bool xs_store_meta_get(struct xs_store *store, const char *key, char *value, size_t bytes);

/* True when meta status says that the trace has ended in any way: the spool's content is in the trace, or given up. */
bool xs_store_has_ended(struct xs_store *store);

#endif
