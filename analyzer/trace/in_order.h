/* Finds out quickly whether a table's rows are in order of time, as those of a program with one thread and one stream
 * are. SQLite then gives no row to the caller, so this takes a small part of the time of reading the rows. */
#ifndef XFERSPY_ANALYZER_TRACE_IN_ORDER_H
#define XFERSPY_ANALYZER_TRACE_IN_ORDER_H

#include <stdbool.h>

#include "schema/read/trace.h"

/* True if the values of the column never descend in the order of the ids. As for xs_scan_int, a value that is no
 * integer counts as 0. False: they descend somewhere, or the table cannot be read in this way. */
bool xs_is_in_order(const struct xs_trace *trace, const char *table, const char *column);

#endif
