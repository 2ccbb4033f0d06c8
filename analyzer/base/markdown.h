/* GitHub's Markdown. Whatever came from a trace goes into code spans or blocks: nothing in them is a link, a mention,
 * HTML or the end of a table's cell. */
#ifndef XFERSPY_ANALYZER_BASE_MARKDOWN_H
#define XFERSPY_ANALYZER_BASE_MARKDOWN_H

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"

/* Adds a code span of a text that is not escaped yet, cut at 200 columns; good in a table's cell, too. NULL or "" adds
 * "?". */
void xs_markdown_code(struct xs_string *text, const char *raw);

/* The text of a source line, below an item of a list. NULL prints nothing. */
void xs_markdown_source(struct xs_out *out, const char *source);

/* A fenced block of lines, and one that is folded away below a line of plain words. Nothing of an empty text. */
void xs_markdown_block(struct xs_out *out, const char *lines);
void xs_markdown_folded(struct xs_out *out, const char *summary, const char *lines);

#endif
