/* Text in the language of man pages. Prose is filled and wrapped, literal text stays as it is; whatever roff would read
 * as its own is escaped, and a hyphen stays one that can be copied to a shell. */
#ifndef XFERSPY_ANALYZER_CLI_MAN_ROFF_H
#define XFERSPY_ANALYZER_CLI_MAN_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* Words of prose, in lines of their own. `x' becomes a quotation. */
void xs_roff_prose(const char *text, size_t length, FILE *file);

/* A piece within a line; nothing before or after it. */
void xs_roff_literal(const char *text, size_t length, FILE *file);

/* The line of a section or, with "SS", of a subsection. A colon at the end goes. */
void xs_roff_heading(const char *macro, const char *title, size_t length, FILE *file);

/* The text of a command's help: paragraphs between empty lines; lines that begin with two blanks are literal; a line
 * that ends in a colon and has literal lines after it ("Examples:") begins a section, as "Exit status:" does. Prose
 * after such a section comes under NOTES. `in_section`: the text begins right after the line of a section. */
void xs_roff_document(const char *text, size_t length, int in_section, FILE *file);

#endif
