/* Output for GitHub's Markdown puts all text from a trace into code spans or blocks: nothing in them is a link, a
 * mention, HTML or the end of a table's cell. */
#ifndef XFERSPY_ANALYZER_BASE_MARKDOWN_H
#define XFERSPY_ANALYZER_BASE_MARKDOWN_H

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"

/* Adds a code span of a raw text, cut at 200 columns; safe in a table's cell, too. NULL or "" adds "?". */
void xs_markdown_code(struct xs_string *text, const char *raw);

/* Prints a source line below a list item. NULL prints nothing. */
void xs_markdown_source(struct xs_out *out, const char *source);

/* Print a fenced block of lines, and one folded away below a plain summary. An empty text prints nothing. */
void xs_markdown_block(struct xs_out *out, const char *lines);
void xs_markdown_folded(struct xs_out *out, const char *summary, const char *lines);

#endif
