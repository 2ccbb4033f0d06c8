/* Reads a JSON file that xferspy itself wrote before. SQLite's JSON functions read it, because the program contains
 * them anyway. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_JSON_DOCUMENT_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

#include "analyzer/base/text.h"

struct xs_json_document {
    sqlite3 *db;
    struct xs_string text;
};

/* Reads a file to its end. Returns NULL, or what is wrong with it, to be printed behind its name. Always free the
 * document. */
const char *xs_json_document_read(FILE *file, struct xs_json_document *document);
void xs_json_document_free(struct xs_json_document *document);

/* Returns NULL if the document has this format in this version; else `other`, `damaged`, or that it is of another
 * version of xferspy. */
const char *xs_json_document_is(const struct xs_json_document *document, const char *format, int version,
                                const char *other, const char *damaged);

/* Prepares a query with the document as ?1; NULL if SQLite refuses it. */
sqlite3_stmt *xs_json_document_ask(const struct xs_json_document *document, const char *sql);

/* Returns a column that must be a whole number of 0 or more; otherwise 0, and `*good` is false. */
uint64_t xs_json_document_count(sqlite3_stmt *row, int column, bool *good);

#endif
