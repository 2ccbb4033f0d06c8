/* Reads the rows of `export --what`, one after the other, for the formats that are tables. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_ROWS_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_ROWS_H

#include "analyzer/commands/export/export.h"

enum xs_cell_kind { XS_CELL_NULL, XS_CELL_INT, XS_CELL_REAL, XS_CELL_TEXT, XS_CELL_NAMES };

struct xs_cell {
    const char *name; /* the column's */
    enum xs_cell_kind kind;
    int64_t number;
    double real;
    const char *text; /* any bytes. For NAMES: static names, a space after each but the last; "" for none */
    size_t bytes;
};

/* Returns a column of the current row, valid as long as SQLite keeps it. */
struct sqlite3_stmt;
struct xs_cell xs_cell_of(struct sqlite3_stmt *row, int column);

/* Limits the bytes of the texts of all rows. A trace stores a name once, but every row with it shows it: so a short
 * trace could become a file that fills the disk. */
struct xs_text_room {
    const char *path; /* of the trace */
    uint64_t left;
    bool said;
};

struct xs_text_room xs_text_room_of(const struct xs_export *e);

/* Adds a text as xs_export_utf8 does. Once the room is used up, texts are cut at XS_EXPORT_SHORT_TEXT_BYTES, and stderr
 * names the first text that this shortens. */
void xs_text_room_add(struct xs_text_room *room, struct xs_string *string, const char *text, size_t bytes);

struct xs_row_sink {
    void *data;
    /* Called before the first row, even if there is none: names only. NULL: not wanted. */
    void (*columns)(void *data, const struct xs_cell *cells, unsigned count);
    void (*row)(void *data, const struct xs_cell *cells, unsigned count);
};

int xs_export_rows(const struct xs_export *e, const struct xs_row_sink *sink);

#endif
