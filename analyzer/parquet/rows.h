/* Rows of a flat table in memory, column by column. They are what a Parquet file is written from, and what it is read
 * into. A text is kept once, however many rows have it. */
#ifndef XFERSPY_ANALYZER_PARQUET_ROWS_H
#define XFERSPY_ANALYZER_PARQUET_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"

enum xs_column_type {
    XS_COLUMN_INT,
    XS_COLUMN_BOOL,
    XS_COLUMN_TIME, /* microseconds since 1970, UTC */
    XS_COLUMN_TEXT
};
struct xs_column {
    const char *name;
    enum xs_column_type type;
};

/* The value of a cell without a value. No number and no time is this number. */
#define XS_NO_VALUE INT64_MIN

struct xs_rows {
    const struct xs_column *columns;
    unsigned column_count;
    int64_t **cells; /* by column and row: the value; of a text, its index in `texts` */
    size_t count, capacity;
    const char **texts; /* the texts of all columns */
    size_t text_count, text_capacity;
    struct xs_texts kept;
    struct xs_hash numbers; /* maps the address of a kept text to its index plus 1 */
};

/* The columns must outlive the rows. */
void xs_rows_begin(struct xs_rows *rows, const struct xs_column *columns, unsigned count);
void xs_rows_free(struct xs_rows *rows);
/* Removes all rows and texts. */
void xs_rows_clear(struct xs_rows *rows);

/* Adds rows without any value; returns the index of the first one. */
size_t xs_rows_add(struct xs_rows *rows, size_t count);

/* Set a cell. A NULL text is no value. Texts are cut at 4095 bytes. */
void xs_rows_set(struct xs_rows *rows, unsigned column, size_t row, int64_t value);
void xs_rows_set_text(struct xs_rows *rows, unsigned column, size_t row, const char *text);

/* Returns the index of a text, which is added if it is missing. */
int64_t xs_rows_text_index(struct xs_rows *rows, const char *text);

static inline int64_t xs_rows_value(const struct xs_rows *rows, unsigned column, size_t row) {
    return rows->cells[column][row];
}
/* Returns a text; NULL: the cell has no value. */
static inline const char *xs_rows_text(const struct xs_rows *rows, unsigned column, size_t row) {
    int64_t index = rows->cells[column][row];
    return index == XS_NO_VALUE ? NULL : rows->texts[index];
}
/* Returns a number; 0: the cell has no value. */
static inline int64_t xs_rows_number(const struct xs_rows *rows, unsigned column, size_t row) {
    int64_t value = rows->cells[column][row];
    return value == XS_NO_VALUE ? 0 : value;
}

#endif
