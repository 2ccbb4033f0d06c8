/* Writes text in roff, the language of man pages. Prose is filled and wrapped; literal text is not changed. Characters
 * with a meaning in roff are escaped. A hyphen is written so that it can be copied to a shell. */
#ifndef XFERSPY_ANALYZER_CLI_MAN_ROFF_H
#define XFERSPY_ANALYZER_CLI_MAN_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* Writes prose as whole lines, wrapped anew. `x' is written as a quotation. */
void xs_roff_prose(const char *text, size_t length, FILE *file);

/* Writes literal text within a line, and nothing before or after it. */
void xs_roff_literal(const char *text, size_t length, FILE *file);

/* Writes the heading of a section or, if `macro` is "SS", of a subsection. A colon at the end of the title is removed.
 */
void xs_roff_heading(const char *macro, const char *title, size_t length, FILE *file);

/* Writes the text of a command's help. Empty lines separate paragraphs. Lines that begin with two blanks are literal. A
 * line that ends in a colon and has literal lines after it ("Examples:") begins a section, and so does "Exit status:".
 * Prose after such a section is put in a section NOTES. `in_section`: the heading of a section was written directly
 * before this text. */
void xs_roff_document(const char *text, size_t length, int in_section, FILE *file);

#endif
