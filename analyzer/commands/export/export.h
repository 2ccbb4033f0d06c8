/* Holds what the formats of `xferspy export` share: their input, and the texts and findings of the rows that they
 * write. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/totals/timeline/marks.h"

enum xs_export_traits {
    XS_EXPORT_BINARY = 1,  /* not for a terminal */
    XS_EXPORT_ROWS = 2,    /* takes --what */
    XS_EXPORT_SEVERAL = 4, /* takes more than one trace */
};

/* One kind of row, from whats.def. */
struct xs_export_what {
    const char *name, *summary;
    int table;       /* enum xs_evidence_table of its rows, -1: no findings are about them */
    const char *sql; /* NULL: the findings themselves */
};
extern const struct xs_export_what xs_export_whats[]; /* name NULL after the last */

struct xs_export {
    const struct xs_reading *reading;
    const struct xs_marks *marks;
    const struct xs_export_what *what;
    bool formulas; /* for CSV: text that a spreadsheet would take for a formula stays unchanged */
    int count;     /* number of readings; more than one only for a format that takes several */
    struct xs_out *out;
    char *message; /* XS_TRACE_MESSAGE_BYTES: the reason of a negative result */
};

/* A writer returns 0, or a negative status with the message set. Everything is streamed: memory use grows with the
 * number of findings, tracks and distinct stacks, and not with the number of transfers. */
#define XS_EXPORT_FORMAT(name, traits, summary) int xs_export_##name(const struct xs_export *e);
#include "analyzer/commands/export/formats.def"
#undef XS_EXPORT_FORMAT

/* A text of a trace can have any bytes and any length. At most this many bytes of one value are written;
 * XS_EXPORT_SHORT_TEXT_BYTES is for texts that would make the file disproportionately long. */
enum { XS_EXPORT_TEXT_BYTES = 4095, XS_EXPORT_SHORT_TEXT_BYTES = 255 };

/* Adds valid UTF-8: invalid bytes become U+FFFD, and a text beyond the limit is cut and ends in three dots. */
void xs_export_cut(struct xs_string *string, const char *text, size_t bytes, size_t limit);

/* Does xs_export_cut with XS_EXPORT_TEXT_BYTES. */
void xs_export_utf8(struct xs_string *string, const char *text, size_t bytes);

/* Adds the names of a row's findings with `separator` between; nothing if there is none. */
void xs_export_finding_names(struct xs_string *string, const struct xs_export *e, const struct xs_marked *marked,
                             const char *separator);

/* Prepares a statement of the trace; negative: the message is set. xs_export_finish takes the last result of
 * xs_export_step and finalizes. */
struct sqlite3_stmt;
int xs_export_prepare(const struct xs_export *e, const char *sql, struct sqlite3_stmt **statement);
bool xs_export_step(struct sqlite3_stmt *statement, int *code);
int xs_export_finish(const struct xs_export *e, struct sqlite3_stmt *statement, int code);

#endif
