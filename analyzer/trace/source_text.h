/* The text of lines of the program is taken from the trace. No file is read: the program may have changed since, and
 * anybody can write a name into a trace. Texts are any bytes, to be escaped where they are shown. */
#ifndef XFERSPY_ANALYZER_TRACE_SOURCE_TEXT_H
#define XFERSPY_ANALYZER_TRACE_SOURCE_TEXT_H

#include <stdbool.h>

#include "analyzer/trace/callsites.h"
#include "schema/read/trace.h"

struct xs_source_text;

/* Reads what the trace has. Never fails for what is wrong there: that is left out. The trace may be closed
 * afterwards. */
struct xs_source_text *xs_source_text_open(const struct xs_trace *trace);
void xs_source_text_close(struct xs_source_text *text); /* NULL is nothing */

/* Returns the line of the frame, without the blanks around it and of 4096 bytes at most, to be freed. NULL: not known.
 */
char *xs_source_text_line(const struct xs_source_text *text, const struct xs_frame *frame);

/* Says whether the trace has the line's text. */
bool xs_source_text_has(const struct xs_source_text *text, const struct xs_frame *frame);

#endif
