/* Reads the rows of a table that the trace stores as rows and shapes (transfer, launch, device_copy, device_kernel),
 * without the join of the view: the few shapes are read once into memory, then only the table of rows is read. This is
 * faster, because SQLite searches no shape for each row, and because a column of the shape is not decoded for each row.
 * Only scan.c uses this. */
#ifndef XFERSPY_ANALYZER_TRACE_SHAPED_H
#define XFERSPY_ANALYZER_TRACE_SHAPED_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/read/trace.h"

/* A column's value and type. */
struct xs_cell {
    int64_t value; /* 0 if the value is no integer */
    int type;      /* SQLITE_INTEGER, SQLITE_NULL, ... */
};

static inline struct xs_cell xs_cell_of(sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    return (struct xs_cell){type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0, type};
}

/* The analysis reads 33 columns of a transfer. */
enum { XS_SHAPED_COLUMNS = 40, XS_SHAPED_CELLS = 4 * XS_SHAPED_COLUMNS };

/* Where a column's value is: in the row, else the sum of two of the row's values, else in the shape. */
struct xs_shaped_source {
    uint8_t row, summands[2], shape; /* indexes; 0 is always NULL */
};

struct xs_shaped {
    struct xs_shaped_source of[XS_SHAPED_COLUMNS]; /* by number of a column */
    struct xs_cell row[XS_SHAPED_CELLS];           /* the first is NULL, the second is the number of the shape; numbers
                                                    * that are the same in all rows are at the end */
    const struct xs_cell *shape;                   /* of the row */
    struct xs_cell *shapes;                        /* `step` cells for each shape; first those of no shape */
    int64_t shape_count;                           /* without the first */
    int step, row_columns;                         /* row_columns: how many cells of `row` are read */
};

/* Prepares `*statement`, which steps to the rows in the order of their ids, and puts each row's values into the result.
 * `columns` are names of the view's columns with
 * ", " between them, NULL or numbers. NULL: the table is not stored in this way, is hidden by a TEMP table, or has so
 * many shapes that the view is better, or the shapes cannot be read; then use the view. */
struct xs_shaped *xs_shaped_begin(const struct xs_trace *trace, const char *table, const char *columns,
                                  sqlite3_stmt **statement);

/* Returns the value of a column, by its place in `columns`. */
static inline struct xs_cell xs_shaped_cell(const struct xs_shaped *shaped, int column) {
    const struct xs_shaped_source *of = &shaped->of[column];
    struct xs_cell cell = shaped->row[of->row];
    if (cell.type != SQLITE_NULL)
        return cell;
    if (!of->summands[0])
        return shaped->shape[of->shape];
    const struct xs_cell *a = &shaped->row[of->summands[0]], *b = &shaped->row[of->summands[1]];
    if (a->type == SQLITE_NULL || b->type == SQLITE_NULL)
        return cell;
    int64_t sum;
    bool is_sum =
        a->type == SQLITE_INTEGER && b->type == SQLITE_INTEGER && !__builtin_add_overflow(a->value, b->value, &sum);
    return is_sum ? (struct xs_cell){sum, SQLITE_INTEGER} : (struct xs_cell){0, SQLITE_FLOAT};
}

/* False if the table has shapes, and the condition in SQL is true for none of them; then the rows need not be read. */
bool xs_shaped_any(const struct xs_trace *trace, const char *table, const char *condition);

/* True if the table has shapes, and each row has its own value of the column, so that `main.TABLE_row` has all values.
 */
bool xs_shaped_is_in_rows(const struct xs_trace *trace, const char *table, const char *column);

void xs_shaped_end(struct xs_shaped *shaped); /* `shaped` may be NULL */

#endif
