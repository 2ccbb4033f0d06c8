/* Reads tables in a second thread, which is always some rows ahead of the caller. So decoding rows and analysing them
 * take place at the same time. Only source.c takes the rows; the others begin and end the reading. */
#ifndef XFERSPY_ANALYZER_TRACE_AHEAD_H
#define XFERSPY_ANALYZER_TRACE_AHEAD_H

#include "analyzer/trace/events.h"

struct xs_ahead;

/* Starts the thread, which has its own connection to the file. NULL: a thread is not worth it (base/thread.h), or the
 * trace cannot be opened again; then the caller's thread reads the rows. */
struct xs_ahead *xs_ahead_begin(const struct xs_trace *trace);

/* Begins to read a table; the arguments are those of xs_source_begin. `kind`'s texts, the message and the count must
 * stay until the end. Returns the table's number; -1: there are too many tables. */
int xs_ahead_add(struct xs_ahead *ahead, const struct xs_source_kind *kind, unsigned most_rows, char *message,
                 uint64_t *damaged);

/* These functions do what xs_source_peek, xs_source_pop and xs_source_end do. */
void *xs_ahead_peek(struct xs_ahead *ahead, int table, struct xs_order_key *key, int *status);
void xs_ahead_pop(struct xs_ahead *ahead, int table);
void xs_ahead_drop(struct xs_ahead *ahead, int table);

/* Ends the thread, and adds the damaged rows to the callers' counts. `ahead` may be NULL. */
void xs_ahead_end(struct xs_ahead *ahead);

#endif
