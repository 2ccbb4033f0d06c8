/* Stores in the trace, at the end of capture, the text of the Python source lines that made the calls. Reports can then
 * show these lines without the source files, also on another machine or at a later time. */
#ifndef XFERSPY_PRELOAD_SESSION_SOURCE_LINES_H
#define XFERSPY_PRELOAD_SESSION_SOURCE_LINES_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* Writes the lines in a transaction of their own, after everything else is in the trace, so that a failure here loses
 * no events. Reads no further lines after 20 ms. If lines are omitted for a reason that the user should know, adds a
 * note to the trace. Only the drain thread may call this function. */
void xs_source_lines_write(struct xs_store *store, const struct xs_clock *clock);

#endif
