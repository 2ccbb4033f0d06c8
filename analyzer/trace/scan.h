/* Reading rows of a trace that may be damaged: every value is checked on the way in, sums saturate, and an error in the
 * middle becomes one line that names the file. */
#ifndef XFERSPY_ANALYZER_TRACE_SCAN_H
#define XFERSPY_ANALYZER_TRACE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/pages.h"
#include "schema/trace.h"

struct sqlite3_stmt;

struct xs_scan {
    const struct xs_trace *trace;
    struct sqlite3_stmt *statement;
    char *message;     /* XS_TRACE_MESSAGE_BYTES long, the caller's */
    uint64_t *damaged; /* counts the rows in which a value could not be true; the caller's */
    bool row_damaged;  /* this row is counted already */
    int status;
    struct xs_pages *pages;         /* read without SQLite's machine: xs_scan_table */
    const struct xs_values *values; /* of it */
};

/* xs_scan_begin found something in the file that only SQLite can explain. The table has to be read again with
 * `plain`. */
enum { XS_SCAN_PLAIN = -101 };

/* Prepares `sql`. On error `scan->status` is negative, the message is set and the first xs_scan_row returns false. */
void xs_scan_begin(struct xs_scan *scan, const struct xs_trace *trace, const char *sql, char *message,
                   uint64_t *damaged);

/* The same for columns ("a, b, c") of a table, rows in the order of their ids, integers only: several times as fast, where
 * the file allows it and `plain` does not forbid it. `order`: columns that SQLite sorts by, NULL: none. The status may be
 * XS_SCAN_PLAIN. */
void xs_scan_table(struct xs_scan *scan, const struct xs_trace *trace, const char *table, const char *columns,
                   const char *order, bool plain, char *message, uint64_t *damaged);

/* The next row; false at the end and after an error. */
bool xs_scan_row(struct xs_scan *scan);

/* Frees the statement and returns the status. */
int xs_scan_end(struct xs_scan *scan);

int64_t xs_scan_sqlite_int(const struct xs_scan *scan, int column);
bool xs_scan_sqlite_null(const struct xs_scan *scan, int column);

static inline bool xs_scan_null(const struct xs_scan *scan, int column) {
    return scan->values ? scan->values->type[column] == XS_VALUE_NULL : xs_scan_sqlite_null(scan, column);
}

/* Any integer; what is none counts as 0. */
static inline int64_t xs_scan_int(const struct xs_scan *scan, int column) {
    return scan->values ? scan->values->number[column] : xs_scan_sqlite_int(scan, column);
}

uint64_t xs_scan_count(struct xs_scan *scan, int column);                /* NULL or negative is damage and 0 */
uint64_t xs_scan_count_or_null(struct xs_scan *scan, int column);        /* NULL is 0, negative is damage */
unsigned xs_scan_kind(struct xs_scan *scan, int column, unsigned limit); /* NULL is 0; limit or more is damage and 0 */
const char *xs_scan_text(const struct xs_scan *scan, int column);        /* never NULL; valid until the next row */

/* end - start of two columns. False where one is NULL, or where the end lies before the start: that is damage. */
bool xs_scan_span(struct xs_scan *scan, int start_column, int end_column, uint64_t *ns);

static inline uint64_t xs_sum(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
