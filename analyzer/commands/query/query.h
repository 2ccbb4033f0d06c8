/* Declarations shared by query_command.c, which runs the statement, query_format.c, which prints its rows, and
 * query_hint.c. */
#ifndef XFERSPY_ANALYZER_COMMANDS_QUERY_QUERY_H
#define XFERSPY_ANALYZER_COMMANDS_QUERY_QUERY_H

#include "analyzer/base/out.h"

struct sqlite3_stmt;
struct xs_string;
struct xs_trace;

enum xs_query_format { XS_QUERY_TABLE, XS_QUERY_CSV, XS_QUERY_JSON, XS_QUERY_TSV, XS_QUERY_FORMATS };

/* Reads all rows of the statement and prints them as they are read. The widths of a table's columns are computed from
 * its first 1000 rows. Returns SQLITE_DONE or the error's code. */
int xs_query_print(struct sqlite3_stmt *statement, enum xs_query_format format, struct xs_out *out);

/* If SQLite's error is about a missing column or table, adds a hint: a similar name, and the columns of the tables in
 * the statement. Adds nothing for other errors. `tables_sql` gives type, name and columns of each table. */
void xs_query_hint(const struct xs_trace *trace, const char *sql, const char *tables_sql, const char *error,
                   struct xs_string *hint);

#endif
