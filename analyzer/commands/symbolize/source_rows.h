/* The text of the lines that call sites are in, as `xferspy symbolize` adds it to a trace. */
#ifndef XFERSPY_ANALYZER_SYMBOLIZE_SOURCE_ROWS_H
#define XFERSPY_ANALYZER_SYMBOLIZE_SOURCE_ROWS_H

#include <stdint.h>

#include "analyzer/trace/callsites.h"
#include "schema/read/trace.h"
#include "schema/source/source_file.h"

struct sqlite3;

struct xs_source_row {
    const char *path; /* the callsites' */
    uint32_t line;
    char *text;
    struct xs_source_identity identity;
};

struct xs_source_rows {
    struct xs_source_row *rows; /* what is new */
    uint32_t count;
    size_t capacity;
    uint32_t stored;   /* lines that the trace has already */
    uint32_t withheld; /* lines that were not looked for: nothing shows whose the trace is */
};

/* Reads the lines of all places, as --source allows. To be freed. */
void xs_source_rows_read(const struct xs_trace *trace, const struct xs_callsites *callsites,
                         struct xs_source_rows *rows);
void xs_source_rows_free(struct xs_source_rows *rows);

/* Adds them in a transaction of the caller's. `merged_id`: the trace's number in a merged file, -1: in none. An SQLite
 * result code. */
int xs_source_rows_write(struct sqlite3 *db, int64_t merged_id, const struct xs_source_rows *rows);

#endif
