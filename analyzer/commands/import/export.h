/* Reading an Nsight Systems SQLite export (`nsys export --type sqlite`), of any version: a table or column that an
 * export does not have reads as NULL, and no value that it has is trusted. */
#ifndef XFERSPY_ANALYZER_IMPORT_EXPORT_H
#define XFERSPY_ANALYZER_IMPORT_EXPORT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"

struct xs_nsys {
    sqlite3 *db;
    const char *path;
    struct xs_texts texts;
    struct xs_hash strings; /* StringIds.id + 1 (0 is a number, too) to the kept text */
    uint64_t skipped;       /* rows that could not be true */
    int status;             /* of the first error while reading */
    struct xs_steps *steps;
};

/* Negative after a message: it cannot be read, or is something else. Always to be closed. */
int xs_nsys_open(struct xs_nsys *nsys, const char *path);
void xs_nsys_close(struct xs_nsys *nsys);

bool xs_nsys_has_table(const struct xs_nsys *nsys,
                       const char *table); /* a table of rows, no view and nothing virtual */
bool xs_nsys_has_column(const struct xs_nsys *nsys, const char *table, const char *column);

/* A statement for `columns` ("start, end, globalTid"), of which missing ones are NULL; NULL where the table is missing
 * or an error occurred. `order`: columns of the table to sort by, which are left out where they are missing; NULL: as
 * the rows lie. */
sqlite3_stmt *xs_nsys_select(struct xs_nsys *nsys, const char *table, const char *columns, const char *order);
bool xs_nsys_row(struct xs_nsys *nsys, sqlite3_stmt *statement); /* the next one; false at the end, or after an error */

/* Whether the column holds an integer, which is then stored; else `value` stays. */
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

/* Start and end of an event, in this order in two columns: false where they are no times. */
bool xs_nsys_span(sqlite3_stmt *statement, int column, int64_t *start, int64_t *end);

/* The text of a column, kept; NULL where it has none. */
const char *xs_nsys_text(struct xs_nsys *nsys, sqlite3_stmt *statement, int column);

/* The text that a column's number stands for in StringIds; NULL where there is none. */
const char *xs_nsys_string(const struct xs_nsys *nsys, sqlite3_stmt *statement, int column);

/* The value of a name in META_DATA_EXPORT, META_DATA_CAPTURE or TARGET_INFO_SYSTEM_ENV; NULL: not there. */
const char *xs_nsys_property(struct xs_nsys *nsys, const char *table, const char *name);

/* A serialized globalTid or globalPid: 8 bits of hardware, 8 of virtual machine, 24 each of process and thread. */
static inline int64_t xs_nsys_pid(int64_t global) { return global >> 24 & 0xffffff; }
static inline int64_t xs_nsys_tid(int64_t global) { return global & 0xffffff; }

#endif
