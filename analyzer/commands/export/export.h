/* Declarations that the formats of `xferspy export` share: their input, and functions for the texts and findings of the
 * rows that they write. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/totals/timeline/marks.h"

enum xs_export_traits {
    XS_EXPORT_BINARY = 1,  /* the output is binary, so it is not written to a terminal */
    XS_EXPORT_ROWS = 2,    /* the format accepts --what */
    XS_EXPORT_SEVERAL = 4, /* the format accepts more than one trace */
    XS_EXPORT_FOLDER = 8,  /* the output is a folder, to which files of each trace are added. The format is written once
                            * for each trace, and its arguments may be all that xs_traces_expand takes */
};

/* One kind of row, from whats.def. */
struct xs_export_what {
    int table;       /* enum xs_evidence_table of its rows; -1: findings are never about these rows */
    const char *sql; /* NULL: the rows are the findings */
};
extern const struct xs_export_what xs_export_whats[]; /* in the order of whats.def */

struct xs_export {
    const struct xs_reading *reading;
    const struct xs_marks *marks;
    const struct xs_export_what *what;
    bool formulas;      /* for CSV: text that a spreadsheet would understand as a formula is not changed */
    int count;          /* number of readings; more than 1 only for a format with XS_EXPORT_SEVERAL */
    struct xs_out *out; /* NULL for a format with XS_EXPORT_FOLDER */
    const char *folder; /* NULL for any other format */
    char *message;      /* has XS_TRACE_MESSAGE_BYTES; the message that belongs to a negative status */
};

/* A writer returns 0, or a negative status with the message set. Each row is written as soon as it was read, so memory
 * use grows with the number of findings, tracks and distinct stacks, and not with the number of transfers. */
#define XS_EXPORT_FORMAT(name, traits, summary) int xs_export_##name(const struct xs_export *e);
#include "analyzer/commands/export/formats.def"
#undef XS_EXPORT_FORMAT

/* A text of a trace can have any bytes and any length. At most XS_EXPORT_TEXT_BYTES of one value are written.
 * XS_EXPORT_SHORT_TEXT_BYTES is the limit if texts would make the file much longer than the trace. */
enum { XS_EXPORT_TEXT_BYTES = 4095, XS_EXPORT_SHORT_TEXT_BYTES = 255 };

/* Adds a text as valid UTF-8. Invalid bytes become U+FFFD, and a text longer than `limit` bytes is cut and ends in
 * three dots. */
void xs_export_cut(struct xs_string *string, const char *text, size_t bytes, size_t limit);

/* Calls xs_export_cut with the limit XS_EXPORT_TEXT_BYTES. */
void xs_export_utf8(struct xs_string *string, const char *text, size_t bytes);

/* Adds the names of a row's findings, separated by `separator`; nothing if the row has no findings. */
void xs_export_finding_names(struct xs_string *string, const struct xs_export *e, const struct xs_marked *marked,
                             const char *separator);

/* These functions prepare an SQL statement on the trace, read its next row, and finalize it. `code` of xs_export_finish
 * is the code that the last xs_export_step set. Negative status: the message is set. */
struct sqlite3_stmt;
int xs_export_prepare(const struct xs_export *e, const char *sql, struct sqlite3_stmt **statement);
bool xs_export_step(struct sqlite3_stmt *statement, int *code);
int xs_export_finish(const struct xs_export *e, struct sqlite3_stmt *statement, int code);

#endif
