/* The store's files share these declarations. Nothing outside schema/ includes this header. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_INTERNAL_H
#define XFERSPY_SCHEMA_WRITE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "schema/write/store.h"
#include "schema_columns.h"

struct xs_interned;
struct xs_thread_entry;
enum xs_interned_in { XS_CONTEXTS, XS_STREAMS, XS_KERNEL_NAMES, XS_INTERNED };

struct xs_shape_entry;
struct xs_shapes { /* hash table of store_shapes.c */
    struct xs_shape_entry *entries;
    uint32_t slots, count;
    bool is_full;
    uint32_t misses; /* misses since the table became full */
};

/* A prepared statement, which is found by the address of its text. The texts are string literals. Fewer than half of
 * the XS_STATEMENT_SLOTS slots are used. */
struct xs_statement {
    const char *text; /* NULL: the hash slot is free */
    sqlite3_stmt *stmt;
};
enum { XS_STATEMENT_SLOTS = 128 };

struct xs_store {
    sqlite3 *db;
    struct xs_statement statements[XS_STATEMENT_SLOTS]; /* prepared at first use */
    struct xs_interned *interned[XS_INTERNED];          /* store_intern.c */
    struct xs_thread_entry *threads;
    struct xs_shapes shapes;
    struct xs_thin *thin;     /* store_thin.c */
    struct xs_ledger *ledger; /* store_ledger.c; NULL: the trace is no ledger */
    struct xs_choice *choice; /* thin_choice.c; NULL while the beginning of the run is written, which is never thinned.
                               * A ledger always has it */
    int64_t thinned_rows;     /* number of rows that were deleted by thinning since the store was opened */
    uint32_t newest_correlation; /* newest correlation among the stored calls */
    bool in_batch;
    bool is_held;        /* of a ledger: xs_store_commit ends the batch only, and the next batch continues the
                          * transaction */
    bool intern_changed; /* the interning tables were changed in this batch, so a rollback makes them wrong */
    int failure;         /* first error of this batch; SQLite may have rolled the batch back already */
    char message[256];   /* message of the last error */
};

/* Converts an SQLite result code to a status. If it is an error, stores the message in `store->message` and, during a
 * batch, the status in `store->failure`. */
int xs_store_status(struct xs_store *store, int rc);

/* Runs SQL text that returns no rows, such as pragmas and the schema. */
int xs_store_exec(struct xs_store *store, const char *sql);

/* A row to be written. The xs_put functions bind the columns of the row one after the other, in the order of the SQL
 * text. Every column of a statement is bound for each row, so the old values need not be cleared when the statement is
 * reset. */
struct xs_row {
    struct xs_store *store;
    sqlite3_stmt *stmt; /* NULL: preparing the statement failed with `status`, and SQLite ignores bound values */
    int column;
    int status;
};

/* `sql` is a string literal, by whose address the prepared statement is found again. */
struct xs_row xs_row_start(struct xs_store *store, const char *sql);
/* Starts an INSERT whose text ends after the list of columns; the caller must put one value for each column. If the
 * text has the word UPSERT instead of INSERT, the first column must be `id`; if the table already has a row with this
 * id, the statement changes the columns of that row. */
struct xs_row xs_row_into(struct xs_store *store, const char *insert);
/* Runs the row's statement, which must return no row. If preparing the statement failed, returns that error. */
int xs_row_insert(struct xs_row *row);

/* Finalizes all prepared statements. */
void xs_statements_free(struct xs_store *store);

static inline void xs_put(struct xs_row *row, int64_t value) { sqlite3_bind_int64(row->stmt, ++row->column, value); }
static inline void xs_put_null(struct xs_row *row) { sqlite3_bind_null(row->stmt, ++row->column); }
static inline void xs_put_u64(struct xs_row *row, uint64_t value) { xs_put(row, (int64_t)value); }
/* Binds the value, or NULL if `applies` is false. */
static inline void xs_put_if(struct xs_row *row, bool applies, int64_t value) {
    if (applies)
        xs_put(row, value);
    else
        xs_put_null(row);
}
static inline void xs_put_nonzero(struct xs_row *row, int64_t value) { xs_put_if(row, value != 0, value); }
static inline void xs_put_device(struct xs_row *row, int32_t device) { xs_put_if(row, device >= 0, device); }
/* Binds text, which must not change until the row is inserted; a NULL pointer binds NULL. */
static inline void xs_put_bytes_as_text(struct xs_row *row, const void *text, size_t bytes) {
    sqlite3_bind_text(row->stmt, ++row->column, text, (int)bytes, SQLITE_STATIC);
}
static inline void xs_put_text(struct xs_row *row, const char *text) {
    sqlite3_bind_text(row->stmt, ++row->column, text, -1, SQLITE_STATIC);
}

/* A shape has the values that rows of one kind share, in the column order of its table. */
enum xs_shape_kind { XS_SHAPE_TRANSFER, XS_SHAPE_LAUNCH, XS_SHAPE_DEVICE_COPY, XS_SHAPE_DEVICE_KERNEL };
struct xs_row_shape {
    int64_t values[XS_SHAPE_COLUMNS];
    uint32_t set;    /* bit i: values[i] is present, else NULL */
    uint32_t in_row; /* bits of the columns whose values must be in the row itself, not in the shape */
    unsigned count;
};

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
/* Binds a column whose value is either in the row or in the row's shape. If the shape has the value, binds NULL. */
static inline void xs_put_loose(struct xs_row *row, const struct xs_row_shape *shape, unsigned column) {
    xs_put_if(row, shape->in_row >> column & 1, shape->values[column]);
}

/* Finds or adds the shape, and writes its number to *id. Sets shape->in_row. */
int xs_shape_find(struct xs_store *store, enum xs_shape_kind kind, struct xs_row_shape *shape, int64_t *id);
/* Finds or adds the shape for a sum of rows, and writes its number to *id. Rows of one shape can differ in the columns
 * whose values may be in the row, so this function first removes these columns from *shape. */
int xs_shape_of_sum(struct xs_store *store, enum xs_shape_kind kind, struct xs_row_shape *shape, int64_t *id);
/* Forgets all shape numbers, because a rollback may have undone some of them, or another process may have assigned
 * them. */
void xs_shapes_forget(struct xs_store *store);

void xs_thin_free(struct xs_store *store);

#define XS_PAGE_BYTES 4096
#define XS_WAL_PAGES 1000

/* Number of values in an X-macro list of schema/format/kinds.h. The values in such a list begin with 0 and have no
 * gaps. */
#define XS_KIND_ONE(n, id, name) +1
#define XS_KIND_COUNT(list) (0 list(XS_KIND_ONE))
/* Gives `value` if the list has this kind, else 0, which means an unknown kind. The list may lack a kind because a
 * newer CUPTI has new kinds, or because the spool is damaged. */
#define XS_KIND_OR_ZERO(list, value) ((unsigned)(value) < (unsigned)XS_KIND_COUNT(list) ? (value) : 0)

/* These functions find or add the row of a context, a stream or a kernel name, and write its row id to *id, or 0
 * if there is none. */
int xs_intern_context(struct xs_store *store, uint64_t handle, int64_t *id);
int xs_intern_stream(struct xs_store *store, const struct xs_event *event, int64_t context, uint32_t thread,
                     int64_t *id);
int xs_intern_kernel_name(struct xs_store *store, const char *name, int64_t *id);
int xs_intern_load(struct xs_store *store); /* reads all existing rows of these kinds from the trace */
void xs_intern_free(struct xs_store *store);

/* Adds `value` to the number that meta has for `key`. A missing number counts as 0. */
int xs_store_meta_add(struct xs_store *store, const char *key, int64_t value);

#define XS_META_SPOOL_ID "spool.id"

/* True if the value of meta for the key "status" is not XS_STATUS_RUNNING. The spool then has no more events for the
 * trace. */
bool xs_store_has_ended(struct xs_store *store);

#endif
