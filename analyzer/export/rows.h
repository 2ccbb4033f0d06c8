/* The rows of `export --what`, one after the other, for the formats that are tables. */
#ifndef XFERSPY_ANALYZER_EXPORT_ROWS_H
#define XFERSPY_ANALYZER_EXPORT_ROWS_H

#include "analyzer/export/export.h"

enum xs_cell_kind { XS_CELL_NULL, XS_CELL_INT, XS_CELL_REAL, XS_CELL_TEXT, XS_CELL_NAMES };

struct xs_cell {
    const char *name; /* the column's */
    enum xs_cell_kind kind;
    int64_t number;
    double real;
    const char *text; /* any bytes. Of NAMES: static names, a space after each but the last; "" for none */
    size_t bytes;
};

/* A column of the row at hand, valid as long as SQLite keeps it. */
struct sqlite3_stmt;
struct xs_cell xs_cell_of(struct sqlite3_stmt *row, int column);

struct xs_row_sink {
    void *data;
    /* Before the first row, also where there is none: names only. NULL: not wanted. */
    void (*columns)(void *data, const struct xs_cell *cells, unsigned count);
    void (*row)(void *data, const struct xs_cell *cells, unsigned count);
};

int xs_export_rows(const struct xs_export *e, const struct xs_row_sink *sink);

#endif
