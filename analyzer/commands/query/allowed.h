/* Limits a statement of `query` to reading tables and views of the trace and to calling listed functions. Everything
 * else is refused: changes, other files, PRAGMA, virtual tables and table-valued functions. */
#ifndef XFERSPY_ANALYZER_COMMANDS_QUERY_ALLOWED_H
#define XFERSPY_ANALYZER_COMMANDS_QUERY_ALLOWED_H

struct sqlite3;
struct xs_query_guard;

/* Between these two, preparing a statement on `db` fails unless it may be run. */
struct xs_query_guard *xs_query_guard_begin(struct sqlite3 *db);
void xs_query_guard_end(struct xs_query_guard *guard);

/* What was refused when preparing failed, as the end of a sentence about the query. NULL: it failed for another
 * reason. */
const char *xs_query_refused(struct xs_query_guard *guard);

#endif
