/* Finds the text of the program's source lines in the trace. No source file is read, because the program may have
 * changed since the run, and anybody can write the name of any file into a trace. Texts may contain any bytes; escape
 * them before printing. */
#ifndef XFERSPY_ANALYZER_TRACE_SOURCE_TEXT_H
#define XFERSPY_ANALYZER_TRACE_SOURCE_TEXT_H

#include <stdbool.h>

#include "analyzer/trace/callsites.h"
#include "schema/read/trace.h"

struct xs_source_text;

/* Reads the texts that the trace has. Damaged rows are left out; they cause no error. The trace may be closed
 * afterwards. */
struct xs_source_text *xs_source_text_open(const struct xs_trace *trace);
void xs_source_text_close(struct xs_source_text *text); /* NULL is allowed */

/* Returns the text of the frame's line, without the blanks around it, at most 4096 bytes. The caller frees it. NULL:
 * not known. */
char *xs_source_text_line(const struct xs_source_text *text, const struct xs_frame *frame);

/* True if the trace has the text of the frame's line. */
bool xs_source_text_has(const struct xs_source_text *text, const struct xs_frame *frame);

#endif
