/* Reads the rows of `export --what`, one after the other, for the formats that are tables. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_ROWS_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_ROWS_H

#include "analyzer/commands/export/export.h"

enum xs_cell_kind { XS_CELL_NULL, XS_CELL_INT, XS_CELL_REAL, XS_CELL_TEXT, XS_CELL_NAMES };

struct xs_cell {
    const char *name; /* name of the column */
    enum xs_cell_kind kind;
    int64_t number;
    double real;
    const char *text; /* any bytes. For XS_CELL_NAMES: static names, separated by a space; "" for none */
    size_t bytes;
};

/* Returns the value of a column of the current row. Its text is valid until the next step of the statement. */
struct sqlite3_stmt;
struct xs_cell xs_cell_of(struct sqlite3_stmt *row, int column);

/* Limits the bytes of the texts of all rows. A trace stores a name once, but an export has the name in every row that
 * uses it. Without a limit, the export of a small trace could therefore fill the disk. */
struct xs_text_room {
    const char *path; /* path of the trace */
    uint64_t left;
    bool said;
};

struct xs_text_room xs_text_room_of(const struct xs_export *e);

/* Adds a text as xs_export_utf8 does. When `left` is 0, texts are cut at XS_EXPORT_SHORT_TEXT_BYTES; the first time
 * that this shortens a text, a message is printed. */
void xs_text_room_add(struct xs_text_room *room, struct xs_string *string, const char *text, size_t bytes);

struct xs_row_sink {
    void *data;
    /* Runs once before the first row, even if there are no rows; the cells have only names. NULL: not needed. */
    void (*columns)(void *data, const struct xs_cell *cells, unsigned count);
    void (*row)(void *data, const struct xs_cell *cells, unsigned count);
};

int xs_export_rows(const struct xs_export *e, const struct xs_row_sink *sink);

#endif
