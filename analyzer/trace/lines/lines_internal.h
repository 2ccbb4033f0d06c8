/* Declares what the files of this folder share. */
#ifndef XFERSPY_ANALYZER_TRACE_LINES_LINES_INTERNAL_H
#define XFERSPY_ANALYZER_TRACE_LINES_LINES_INTERNAL_H

#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/lines/lines.h"

/* Returns true if an address has functions or lines that the trace lacks. */
bool xs_lines_is_new(const struct xs_callsites *callsites, const struct xs_callsite_address *address);

/* Says whether the trace is this user's own: the file is this user's, may be written, and was born when its run began,
 * within seconds. A trace that was downloaded, unpacked or copied later is not, and none in a merged file is. */
bool xs_lines_is_own(const struct xs_trace *trace);

/* Reads the text of the lines of all places, as far as `reason` allows. */
void xs_lines_read_texts(const struct xs_trace *trace, enum xs_lines_reason reason, struct xs_lines *lines);

#endif
