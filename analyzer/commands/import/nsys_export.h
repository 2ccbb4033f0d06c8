/* Reads an SQLite export of Nsight Systems (`nsys export --type sqlite`) of any version. A missing table or column is
 * read as NULL. The contents of the file are not trusted. */
#ifndef XFERSPY_ANALYZER_COMMANDS_IMPORT_NSYS_EXPORT_H
#define XFERSPY_ANALYZER_COMMANDS_IMPORT_NSYS_EXPORT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"
#include "analyzer/base/scoped_statement.h"

struct xs_nsys {
    sqlite3 *db;
    const char *path;
    struct xs_texts texts;
    struct xs_hash strings; /* maps StringIds.id + 1 (0 is a valid id) to the text in `texts` */
    uint64_t skipped;       /* number of rows with impossible values, which were skipped */
    int status;             /* status of the first error while reading */
    struct xs_step_limit *steps;
};

/* Negative status: the file cannot be read, or is not an export of Nsight Systems, and a message was printed.
 * xs_nsys_close must be called even then. */
int xs_nsys_open(struct xs_nsys *nsys, const char *path);
void xs_nsys_close(struct xs_nsys *nsys);

bool xs_nsys_has_table(const struct xs_nsys *nsys,
                       const char *table); /* true only for real tables, not for views or virtual tables */

/* Returns a statement that reads `columns` ("start, end, globalTid"); missing columns are read as NULL. Returns NULL if
 * the table is missing, or after an error. `order`: the columns to sort by; missing columns are ignored; NULL: the rows
 * are not sorted. */
sqlite3_stmt *xs_nsys_select(struct xs_nsys *nsys, const char *table, const char *columns, const char *order);
bool xs_nsys_row(struct xs_nsys *nsys, sqlite3_stmt *statement); /* reads the next row; false: there are no more rows,
                                                                    or an error occurred */

/* Returns an estimate of the number of rows in the tables of events: the sum of their largest row ids. */
uint64_t xs_nsys_rows(const struct xs_nsys *nsys);

/* If the column has an integer, stores it in `*value` and returns true; otherwise, does not change `*value`. */
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

/* Reads start and end of an event from two adjacent columns. False: the values are not valid times. */
bool xs_nsys_span(sqlite3_stmt *statement, int column, int64_t *start, int64_t *end);

/* Returns the text of a column, valid as long as `nsys` is open; NULL: the column has no text. */
const char *xs_nsys_text(struct xs_nsys *nsys, sqlite3_stmt *statement, int column);

/* Returns the text in StringIds whose id is in a column; NULL: there is none. */
const char *xs_nsys_string(const struct xs_nsys *nsys, sqlite3_stmt *statement, int column);

/* Returns the value of a name in META_DATA_EXPORT, META_DATA_CAPTURE or TARGET_INFO_SYSTEM_ENV; NULL: the table does
 * not have it. */
const char *xs_nsys_property(struct xs_nsys *nsys, const char *table, const char *name);

/* Returns the thread of a globalTid, which has 8 bits for the hardware, 8 for the virtual machine, 24 for the process
 * and 24 for the thread. */
static inline int64_t xs_nsys_tid(int64_t global) { return global & 0xffffff; }

#endif
