/* Output for GitHub's Markdown puts all text from a trace into code spans or blocks, where it cannot become a link, a
 * mention, HTML or the end of a table's cell. */
#ifndef XFERSPY_ANALYZER_BASE_MARKDOWN_H
#define XFERSPY_ANALYZER_BASE_MARKDOWN_H

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"

/* Adds a code span with a raw text, which is cut at 200 columns. The span is safe in a table's cell, too. For NULL or
 * "", adds "?". */
void xs_markdown_code(struct xs_string *text, const char *raw);

/* Prints `text` between `before` and `after`, or nothing if `text` is empty, and frees `text`. `text` must be Markdown
 * already, because it is not escaped. */
void xs_markdown_take(struct xs_out *out, const char *before, struct xs_string *text, const char *after);

/* Prints a source line below a list item. NULL prints nothing. */
void xs_markdown_source(struct xs_out *out, const char *source);

/* xs_markdown_block prints a fenced block of lines. xs_markdown_folded prints a block that is hidden until the reader
 * opens it, below a plain summary. An empty text prints nothing. */
void xs_markdown_block(struct xs_out *out, const char *lines);
void xs_markdown_folded(struct xs_out *out, const char *summary, const char *lines);

#endif
