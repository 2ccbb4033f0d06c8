/* The text of lines of the program: from the trace where it is there, else from files as far as --source lets them be
 * read (source_option.h). Both are any bytes, to be escaped where they are shown. A name in a trace is never by itself
 * a reason to read a file: anybody can write a trace. */
#ifndef XFERSPY_ANALYZER_TRACE_SOURCE_TEXT_H
#define XFERSPY_ANALYZER_TRACE_SOURCE_TEXT_H

#include <stdbool.h>

#include "analyzer/trace/callsites.h"
#include "schema/read/trace.h"
#include "schema/source/source_file.h"

struct xs_source_text;

/* Reads what the trace has. Never fails for what is wrong there: that is left out. The trace may be closed
 * afterwards. */
struct xs_source_text *xs_source_text_open(const struct xs_trace *trace, const char *cwd, int64_t start_unix_ns);
void xs_source_text_close(struct xs_source_text *text); /* NULL is nothing */

/* The line of the frame as it was when the program ran, without the blanks around it and of 4096 bytes at most, to be
 * freed. NULL: not known, or not to be shown. */
char *xs_source_text_line(struct xs_source_text *text, const struct xs_frame *frame);

/* The same from a file alone, whatever the trace has, not trimmed; with the identity of that file. */
char *xs_source_text_read(struct xs_source_text *text, const struct xs_frame *frame,
                          struct xs_source_identity *identity);

/* Whether the trace has the line's text. */
bool xs_source_text_has(const struct xs_source_text *text, const struct xs_frame *frame);
size_t xs_source_text_count(const struct xs_source_text *text); /* lines in the trace */

/* Whether text that is not in the trace is not looked for, because in `auto` nobody can say whose the trace is. */
bool xs_source_text_is_withheld(const struct xs_source_text *text);
/* Whether the text of the line is not shown because its file is newer than what was made of it, or than the run. Only
 * of a trace of this user's: of another one no file is looked at. */
bool xs_source_text_is_newer(const struct xs_source_text *text, const struct xs_frame *frame);
/* Whether no text is shown at all, because nobody wants to see it. */
bool xs_source_text_is_off(void);

#endif
