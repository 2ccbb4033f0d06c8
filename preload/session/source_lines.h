/* The text of the Python lines that calls came from, kept in the trace at the end of capture. So a report shows them
 * without reading a file, elsewhere and later, too. */
#ifndef XFERSPY_PRELOAD_SESSION_SOURCE_LINES_H
#define XFERSPY_PRELOAD_SESSION_SOURCE_LINES_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* In a transaction of its own, after everything else is in the trace: what goes wrong here costs no event. On the drain
 * thread. It begins nothing new after 20 ms. What it leaves out for a reason that a person should know becomes a
 * note. */
void xs_source_lines_write(struct xs_store *store, const struct xs_clock *clock);

#endif
