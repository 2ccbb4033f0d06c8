/* Between query_command.c, which runs the statement, and query_format.c, which prints its rows. */
#ifndef XFERSPY_ANALYZER_QUERY_QUERY_H
#define XFERSPY_ANALYZER_QUERY_QUERY_H

#include "analyzer/base/out.h"

struct sqlite3_stmt;

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

/* Steps the statement to its end, printing rows as they come (a table's widths are those of its first 1000 rows).
 * Returns SQLITE_DONE or the error's code. */
int xs_query_print(struct sqlite3_stmt *statement, enum xs_query_format format, struct xs_out *out);

#endif
