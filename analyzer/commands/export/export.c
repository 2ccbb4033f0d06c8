/* Defines the functions that the formats share; see export.h. */
#include "analyzer/commands/export/export.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/words/findings_words.h"
#include "schema/rows_read.h"

void xs_export_cut(struct xs_string *string, const char *text, size_t bytes, size_t limit) {
    bool cut = bytes > limit;
    size_t end = cut ? limit : bytes;
    xs_string_add(string, "", 0);
    for (size_t i = 0; i < end;) {
        uint32_t code = 0;
        size_t length = xs_utf8_decode(text + i, bytes - i, &code);
        if (length && code)
            xs_string_add(string, text + i, length);
        else
            xs_string_add(string, "\xef\xbf\xbd", 3);
        i += length ? length : 1;
    }
    if (cut)
        xs_string_add(string, "...", 3);
}

void xs_export_utf8(struct xs_string *string, const char *text, size_t bytes) {
    xs_export_cut(string, text, bytes, XS_EXPORT_TEXT_BYTES);
}

void xs_export_finding_names(struct xs_string *string, const struct xs_export *e, const struct xs_marked *marked,
                             const char *separator) {
    for (unsigned i = 0; i < marked->count; i++) {
        if (i)
            xs_string_add(string, separator, strlen(separator));
        xs_finding_name(string, e->reading->diagnosis, marked->findings[i]);
    }
}

int xs_export_prepare(const struct xs_export *e, const char *sql, sqlite3_stmt **statement) {
    if (sqlite3_prepare_v2(e->reading->trace.db, sql, -1, statement, NULL) == SQLITE_OK)
        return XS_OK;
    return xs_export_finish(e, NULL, SQLITE_ERROR);
}

bool xs_export_step(sqlite3_stmt *statement, int *code) {
    *code = sqlite3_step(statement);
    if (*code == SQLITE_ROW)
        xs_row_read();
    return *code == SQLITE_ROW;
}

int xs_export_finish(const struct xs_export *e, sqlite3_stmt *statement, int code) {
    int status = XS_OK;
    if (code != SQLITE_DONE && code != SQLITE_OK && code != SQLITE_ROW) {
        snprintf(e->message, XS_TRACE_MESSAGE_BYTES, "%s: %s", e->reading->path, xs_trace_why(&e->reading->trace));
        status = XS_ERROR_SQLITE;
    }
    sqlite3_finalize(statement);
    return status;
}
