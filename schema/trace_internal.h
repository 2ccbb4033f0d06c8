/* What opening a trace and opening a merged file share. Nothing outside schema/ includes this. */
#ifndef XFERSPY_SCHEMA_TRACE_INTERNAL_H
#define XFERSPY_SCHEMA_TRACE_INTERNAL_H

#include <sqlite3.h>

#include "schema/trace.h"

/* Writes a message of one line, in which nothing moves a terminal's cursor, and returns `status`. */
int xs_trace_fail(char *message, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a file of a schema that this program does not know yet. */
int xs_trace_fail_newer(char *message, const char *path, int64_t version);

/* The words for a failure of SQLite's, after which the trace is closed. Returns a status. */
int xs_trace_fail_sqlite(struct xs_trace *trace, int rc, char *message);

/* Restricts what a file may do to a connection, because anyone may have made the file. */
int xs_trace_protect(sqlite3 *db);

/* Touches the root of every table that readers rely on. Damage deeper inside shows when it is read; looking for it
 * now would mean reading everything twice. */
int xs_trace_check_tables(sqlite3 *db);

#endif
