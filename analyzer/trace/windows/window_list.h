/* Reads a list of windows in the form that `meta` has: "start+length,start+length,...", in microseconds since the
 * trace's start. */
#ifndef XFERSPY_ANALYZER_TRACE_WINDOWS_WINDOW_LIST_H
#define XFERSPY_ANALYZER_TRACE_WINDOWS_WINDOW_LIST_H

#include <stdint.h>

#include "schema/read/trace.h"

/* Calls `add` for each window, in the order of the list, with times in ns. Reading stops at the first character that
 * does not fit the form described above. A window may be empty, or begin before the end of the window that precedes
 * it. */
void xs_window_list_read(const struct xs_trace *trace, const char *key,
                         void (*add)(void *context, int64_t start_ns, int64_t end_ns), void *context);

#endif
