/* Shared by query_command.c, which runs the statement, query_format.c, which prints its rows, and query_hint.c. */
#ifndef XFERSPY_ANALYZER_COMMANDS_QUERY_QUERY_H
#define XFERSPY_ANALYZER_COMMANDS_QUERY_QUERY_H

#include "analyzer/base/out.h"

struct sqlite3_stmt;
struct xs_string;
struct xs_trace;

/* Number, name. */
#define XS_QUERY_FORMATS(X)                                                                                            \
    X(TABLE, "table")                                                                                                  \
    X(CSV, "csv")                                                                                                      \
    X(JSON, "json")                                                                                                    \
    X(TSV, "tsv")

enum xs_query_format {
#define X(id, name) XS_QUERY_##id,
    XS_QUERY_FORMATS(X)
#undef X
};

/* Steps the statement to its end and prints rows as they come; a table's widths come from its first 1000 rows.
 * Returns SQLITE_DONE or the error's code. */
int xs_query_print(struct sqlite3_stmt *statement, enum xs_query_format format, struct xs_out *out);

/* Adds a hint after SQLite's error about a missing column or table: a similar name, and the columns of the tables in
 * the statement. Adds nothing after other errors. `tables_sql` gives type, name and columns of each table. */
void xs_query_hint(const struct xs_trace *trace, const char *sql, const char *tables_sql, const char *error,
                   struct xs_string *hint);

#endif
