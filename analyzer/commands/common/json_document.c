/* Reads JSON; see json_document.h. */
#include "analyzer/commands/common/json_document.h"

#include <errno.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "schema/safe_open/sqlite_open.h"

#if SQLITE_VERSION_NUMBER < 3038000
#error "SQLite 3.38 or later is needed, because questions about JSON use its operator ->>"
#endif

enum { MOST_BYTES = 64 << 20 };

sqlite3_stmt *xs_json_document_ask(const struct xs_json_document *document, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(document->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_text(statement, 1, document->text.data, -1, SQLITE_STATIC);
    return statement;
}

uint64_t xs_json_document_count(sqlite3_stmt *row, int column, bool *good) {
    int64_t value = sqlite3_column_int64(row, column);
    *good &= sqlite3_column_type(row, column) == SQLITE_INTEGER && value >= 0;
    return value > 0 ? (uint64_t)value : 0;
}

const char *xs_json_document_read(FILE *file, struct xs_json_document *document) {
    *document = (struct xs_json_document){0};
    struct xs_string *text = &document->text;
    xs_string_read(text, file, MOST_BYTES + 1);
    if (ferror(file))
        return strerror(errno);
    if (!text->length || text->length > MOST_BYTES || memchr(text->data, '\0', text->length))
        return "is no JSON: too large, or no text";
    if (xs_sqlite_open_memory(&document->db) != SQLITE_OK)
        xs_out_of_memory();
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, "SELECT json_valid(?1)");
    bool valid = row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
    return valid ? NULL : "is damaged: it is no valid JSON";
}

void xs_json_document_free(struct xs_json_document *document) {
    sqlite3_close(document->db);
    xs_string_free(&document->text);
    document->db = NULL;
}

const char *xs_json_document_is(const struct xs_json_document *document, const char *format, int version,
                                const char *other, const char *damaged) {
    const char *trouble = NULL;
    sqlite3_stmt *row =
        xs_json_document_ask(document, "SELECT json_extract(?1, '$.format'), json_extract(?1, '$.version')");
    if (!row || sqlite3_step(row) != SQLITE_ROW) {
        trouble = damaged;
    } else {
        const char *is = (const char *)sqlite3_column_text(row, 0);
        if (!is || strcmp(is, format) != 0)
            trouble = other;
        else if (sqlite3_column_type(row, 1) != SQLITE_INTEGER || sqlite3_column_int64(row, 1) != version)
            trouble = "is of another version of xferspy; write it again with this one";
    }
    sqlite3_finalize(row);
    return trouble;
}
