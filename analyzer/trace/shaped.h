/* Reads the rows of a table that the trace stores as rows and shapes (transfer, launch, device_copy, device_kernel),
 * without the view that joins them: the few shapes are read once into memory, and then only the table of rows is read.
 * This is faster, because SQLite need not find the shape of each row, and need not decode the columns of the shape for
 * each row. Only scan.c uses this reading; other files use xs_scan_columns, and may use xs_shaped_any. */
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

/* Says where a column's value is: in the row; if the row has NULL there, the value is the sum of two other values of
 * the row; if there are no such two, it is in the shape. */
struct xs_shaped_source {
    uint8_t row, summands[2], shape; /* indexes of cells in xs_shaped.row, and in a shape; the cell 0 is always NULL */
};

struct xs_shaped {
    struct xs_shaped_source of[XS_SHAPED_COLUMNS]; /* by index of a column in `columns` */
    struct xs_cell row[XS_SHAPED_CELLS];           /* the values of the present row: the first cell is NULL, the second
                                                    * is the number of the row's shape; numbers in `columns`, which are
                                                    * the same for all rows, are at the end */
    const struct xs_cell *shape;                   /* the cells of the present row's shape */
    struct xs_cell *shapes;                        /* `step` cells for each shape, in the order of the shapes' numbers;
                                                    * before them, `step` cells that are NULL, for a row without a known
                                                    * shape */
    int64_t shape_count;                           /* the largest number of a shape, plus 1 */
    int step, row_columns;                         /* step: number of cells of a shape; row_columns: number of cells of
                                                    * `row` that are read from each row */
};

/* Prepares `*statement`, which steps to the rows in the order of their ids and puts the values of each row into the
 * result; the caller finalizes it, and calls xs_shaped_end. `columns` is as for xs_scan_columns. NULL: the caller must
 * read the view. The reason is that the table is not stored in this way, that a TEMP table hides it, that it does not
 * have all of the columns, that there are more than XS_SHAPED_COLUMNS of them, that there are so many shapes that the
 * view is better, or that the shapes cannot be read. */
struct xs_shaped *xs_shaped_begin(const struct xs_trace *trace, const char *table, const char *columns,
                                  sqlite3_stmt **statement);

/* Returns the value of a column in the present row, by the index of the column in `columns`. */
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

/* False if the table is stored as rows and shapes, and no shape meets `condition`, which is SQL about columns of the
 * shapes. Then no row meets it, so the rows need not be read. */
bool xs_shaped_any(const struct xs_trace *trace, const char *table, const char *condition);

/* True if the table has shapes, and each row has its own value of the column, so that `main.TABLE_row` has all values.
 */
bool xs_shaped_is_in_rows(const struct xs_trace *trace, const char *table, const char *column);

void xs_shaped_end(struct xs_shaped *shaped); /* `shaped` may be NULL */

#endif
