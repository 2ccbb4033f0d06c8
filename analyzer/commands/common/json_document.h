/* Reads a JSON file that xferspy itself wrote before. It uses SQLite's JSON functions, because the program contains
 * them anyway. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_JSON_DOCUMENT_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

#include "analyzer/base/scoped_statement.h"
#include "analyzer/base/text.h"

struct xs_json_document {
    sqlite3 *db;
    struct xs_string text;
};

/* Reads a file to its end. Returns NULL, or a text that says what is wrong with the file, to be printed after its name.
 * The document must be freed in both cases. */
const char *xs_json_document_read(FILE *file, struct xs_json_document *document);
void xs_json_document_free(struct xs_json_document *document);

/* Returns NULL if the document has this format in this version; else `other` if it has another format, `damaged` if it
 * is damaged, or a text that says that another version of xferspy wrote it. */
const char *xs_json_document_is(const struct xs_json_document *document, const char *format, int version,
                                const char *other, const char *damaged);

/* Prepares a query in which ?1 is the document; NULL if SQLite refuses the query. */
sqlite3_stmt *xs_json_document_ask(const struct xs_json_document *document, const char *sql);

/* Returns a column that must be a whole number of 0 or more. If it is anything else, sets `*good` to false, and the
 * result has no meaning. */
uint64_t xs_json_document_count(sqlite3_stmt *row, int column, bool *good);

#endif
