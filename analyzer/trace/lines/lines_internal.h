/* Declares what the files of this folder share. */
#ifndef XFERSPY_ANALYZER_TRACE_LINES_LINES_INTERNAL_H
#define XFERSPY_ANALYZER_TRACE_LINES_LINES_INTERNAL_H

#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/lines/lines.h"

/* Returns true if an address has functions or lines that the trace lacks. */
bool xs_lines_is_new(const struct xs_callsites *callsites, const struct xs_callsite_address *address);

/* Returns true if this user recorded the trace on this machine: the file belongs to this user, may be written, and was
 * created within seconds of the start of the run. The result is false for a trace that was downloaded, unpacked or
 * copied later, and for a trace in a merged file. */
bool xs_lines_is_own(const struct xs_trace *trace);

/* Reads the text of the lines of all places, as far as `reason` allows. */
void xs_lines_read_texts(const struct xs_trace *trace, enum xs_lines_reason reason, struct xs_lines *lines);

#endif
