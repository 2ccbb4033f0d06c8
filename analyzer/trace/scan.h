/* Reads rows of a trace that may be damaged: every value is checked, sums saturate, and an error in the middle of a
 * table becomes one line that names the file. */
#ifndef XFERSPY_ANALYZER_TRACE_SCAN_H
#define XFERSPY_ANALYZER_TRACE_SCAN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct sqlite3_stmt;
struct xs_shaped;

struct xs_scan {
    const struct xs_trace *trace;
    struct sqlite3_stmt *statement;
    struct xs_shaped *shaped; /* reads rows and shapes without the view that joins them (shaped.h); NULL: the statement
                               * reads the view or another table */
    char *message;            /* the caller's buffer of XS_TRACE_MESSAGE_BYTES */
    uint64_t *damaged;        /* the caller's count of rows with an impossible value; NULL: such rows are not counted */
    bool row_damaged;         /* the current row was counted as damaged */
    int status;
};

/* Between the calls of these two functions, every statement sees the trace as it was at xs_snapshot_begin, even if the
 * recorded process still writes. */
void xs_snapshot_begin(const struct xs_trace *trace);
void xs_snapshot_end(const struct xs_trace *trace);

/* Prepares `sql`. On error `scan->status` is negative, the message is set and the first xs_scan_row returns false. */
void xs_scan_begin(struct xs_scan *scan, const struct xs_trace *trace, const char *sql, char *message,
                   uint64_t *damaged);

/* These functions begin a scan with a statement that they format as printf does. */
void xs_scan_format(struct xs_scan *scan, const struct xs_trace *trace, char *message, uint64_t *damaged,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
void xs_scan_vformat(struct xs_scan *scan, const struct xs_trace *trace, char *message, uint64_t *damaged,
                     const char *format, va_list arguments) __attribute__((format(printf, 5, 0)));

/* Begins to read columns of all rows of a table, in the order of the ids. `columns` is a list with ", " between its
 * items: names of columns, numbers, or NULL. This is the fastest way to read transfers, launches, and records of copies
 * and kernels. The columns must have integers or NULL: xs_scan_text and xs_scan_name must not be called. */
void xs_scan_columns(struct xs_scan *scan, const struct xs_trace *trace, const char *table, const char *columns,
                     char *message, uint64_t *damaged);

/* Reads the first column of a statement's first row, as xs_scan_int does; 0: there is no row. Negative status: the
 * message is set. */
int xs_scan_one(const struct xs_trace *trace, const char *sql, int64_t *value, char *message);

/* Steps to the next row; false at the end and after an error. */
bool xs_scan_row(struct xs_scan *scan);

/* Frees the statement and returns the status. */
int xs_scan_end(struct xs_scan *scan);

bool xs_scan_null(const struct xs_scan *scan, int column);
bool xs_scan_is_zero(const struct xs_scan *scan, int column); /* the value is the integer 0 */
bool xs_scan_is_zero_or_null(const struct xs_scan *scan, int column);

/* Returns the integer in a column; 0 if the column has NULL, a text or a floating point number instead of an
 * integer. */
int64_t xs_scan_int(const struct xs_scan *scan, int column);

uint64_t xs_scan_count(struct xs_scan *scan, int column); /* NULL or a negative value counts as damage and gives 0 */
uint64_t xs_scan_count_or_null(struct xs_scan *scan,
                               int column); /* NULL gives 0; a negative value counts as damage and gives 0 */
unsigned xs_scan_kind(struct xs_scan *scan, int column,
                      unsigned limit); /* NULL gives 0; `limit` or more counts as damage and gives 0 */
uint32_t xs_scan_correlation(const struct xs_scan *scan,
                             int column); /* CUPTI's correlation number of a call; 0: none */

/* Returns the id of a function (entry_point.id). XS_NO_ENTRY_POINT: the column has NULL or a number that capture never
 * writes. It is not 0, because 0 is the id of a function. */
enum { XS_NO_ENTRY_POINT = 1 << 16 };
int32_t xs_scan_entry_point(const struct xs_scan *scan, int column);

const char *xs_scan_text(const struct xs_scan *scan, int column); /* never NULL; valid until the next row */

/* Returns a name as a new string. A name that is longer than 4095 bytes is cut and ends in "...", because many rows
 * have names, and long names would need much memory. */
char *xs_scan_name(const struct xs_scan *scan, int column);

/* Computes end - start of two columns. False: a column is NULL, or the end is before the start. The second case counts
 * as damage. */
bool xs_scan_span(struct xs_scan *scan, int start_column, int end_column, uint64_t *ns);

/* Reads start and end from two columns; if the end is NULL, it becomes the start. False: the start is NULL, or the row
 * is damaged. A row is damaged, and is counted as such, if a value cannot be a time of a run, or if the end is before
 * the start. Times that were read can be added and subtracted without overflow. */
bool xs_scan_times(struct xs_scan *scan, int start_column, int end_column, int64_t *start_ns, int64_t *end_ns);
#define XS_SCAN_LATEST_NS (INT64_C(1) << 60) /* 36 years */

static inline uint64_t xs_sum(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Adds each field of `from` to the same field of `to`. All fields of the structs are uint64_t. */
static inline void xs_sum_all(void *to, const void *from, size_t bytes) {
    uint64_t *sums = to;
    const uint64_t *fields = from;
    for (size_t i = 0; i < bytes / sizeof *sums; i++)
        sums[i] = xs_sum(sums[i], fields[i]);
}

#endif
