/* Makes sure that a statement of `query` only reads tables and views of the trace, and only calls functions that a list
 * allows. Everything else is refused: changes, other files, PRAGMA, virtual tables and table-valued functions. */
#ifndef XFERSPY_ANALYZER_COMMANDS_QUERY_ALLOWED_H
#define XFERSPY_ANALYZER_COMMANDS_QUERY_ALLOWED_H

struct sqlite3;
struct xs_query_guard;

/* Between the calls of these two functions, preparing a statement on `db` fails if the statement is not allowed. */
struct xs_query_guard *xs_query_guard_begin(struct sqlite3 *db);
void xs_query_guard_end(struct xs_query_guard *guard);

/* If preparing a statement failed, returns what was refused, as the end of a sentence about the query. NULL: it failed
 * for another reason. */
const char *xs_query_refused(struct xs_query_guard *guard);

#endif
