/* Text of the Python lines that made the calls, stored in the trace at the end of capture. So a report can show them
 * without reading a file, also elsewhere and later. */
#ifndef XFERSPY_PRELOAD_SESSION_SOURCE_LINES_H
#define XFERSPY_PRELOAD_SESSION_SOURCE_LINES_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* Writes the lines in their own transaction, after everything else is in the trace, so a failure here costs no event.
 * Drain thread only. Starts nothing new after 20 ms. Omissions for a reason that the user should know become notes. */
void xs_source_lines_write(struct xs_store *store, const struct xs_clock *clock);

#endif
