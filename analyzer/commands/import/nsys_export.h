/* Reading an Nsight Systems SQLite export (`nsys export --type sqlite`) of any version. A missing table or column
 * reads as NULL, and no value is trusted. */
#ifndef XFERSPY_ANALYZER_COMMANDS_IMPORT_NSYS_EXPORT_H
#define XFERSPY_ANALYZER_COMMANDS_IMPORT_NSYS_EXPORT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"

struct xs_nsys {
    sqlite3 *db;
    const char *path;
    struct xs_texts texts;
    struct xs_hash strings; /* StringIds.id + 1 (0 is a valid id) to the kept text */
    uint64_t skipped;       /* rows that cannot be true */
    int status;             /* of the first reading error */
    struct xs_steps *steps;
};

/* Negative: a message was printed, the file cannot be read or is something else. Call xs_nsys_close even then. */
int xs_nsys_open(struct xs_nsys *nsys, const char *path);
void xs_nsys_close(struct xs_nsys *nsys);

bool xs_nsys_has_table(const struct xs_nsys *nsys,
                       const char *table); /* only tables that store rows; no views or virtual tables */
bool xs_nsys_has_column(const struct xs_nsys *nsys, const char *table, const char *column);

/* A statement for `columns` ("start, end, globalTid"); missing columns read as NULL. NULL: the table is missing, or
 * an error. `order`: columns of the table to sort by, without missing ones; NULL: unsorted. */
sqlite3_stmt *xs_nsys_select(struct xs_nsys *nsys, const char *table, const char *columns, const char *order);
bool xs_nsys_row(struct xs_nsys *nsys, sqlite3_stmt *statement); /* the next row; false: no more rows, or an error */

/* Whether the column holds an integer. Stores it; otherwise leaves `value` as it is. */
static inline bool xs_nsys_int(sqlite3_stmt *statement, int column, int64_t *value) {
    if (sqlite3_column_type(statement, column) != SQLITE_INTEGER)
        return false;
    *value = sqlite3_column_int64(statement, column);
    return true;
}

static inline int64_t xs_nsys_int_or(sqlite3_stmt *statement, int column, int64_t otherwise) {
    xs_nsys_int(statement, column, &otherwise);
    return otherwise;
}

/* Reads start and end of an event from two adjacent columns. False: they are no times. */
bool xs_nsys_span(sqlite3_stmt *statement, int column, int64_t *start, int64_t *end);

/* The kept text of a column; NULL: it has no text. */
const char *xs_nsys_text(struct xs_nsys *nsys, sqlite3_stmt *statement, int column);

/* The text in StringIds that a column's number stands for; NULL: none. */
const char *xs_nsys_string(const struct xs_nsys *nsys, sqlite3_stmt *statement, int column);

/* The value of a name in META_DATA_EXPORT, META_DATA_CAPTURE or TARGET_INFO_SYSTEM_ENV; NULL: not there. */
const char *xs_nsys_property(struct xs_nsys *nsys, const char *table, const char *name);

/* Parts of a globalTid or globalPid: 8 bits of hardware, 8 of virtual machine, 24 each of process and thread. */
static inline int64_t xs_nsys_pid(int64_t global) { return global >> 24 & 0xffffff; }
static inline int64_t xs_nsys_tid(int64_t global) { return global & 0xffffff; }

#endif
