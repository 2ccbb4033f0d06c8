/* What a statement of `query` may do: read the tables and views of the trace, and call functions of a list. Everything
 * that is not named as allowed is refused: changes, other files, PRAGMA, virtual tables and table-valued functions. */
#ifndef XFERSPY_ANALYZER_QUERY_GUARD_H
#define XFERSPY_ANALYZER_QUERY_GUARD_H

struct sqlite3;
struct xs_query_guard;

/* From here to the end, preparing a statement on `db` fails where it may not be run. */
struct xs_query_guard *xs_query_guard_begin(struct sqlite3 *db);
void xs_query_guard_end(struct xs_query_guard *guard);

/* After preparing failed: what was refused, as the end of a sentence about the query; NULL where the reason is another.
 */
const char *xs_query_refused(struct xs_query_guard *guard);

#endif
