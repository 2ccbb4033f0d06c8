/* These functions escape all text from a trace, a file name or a program before output, and measure it in terminal
 * columns instead of bytes. They assume UTF-8 in any locale. */
#ifndef XFERSPY_ANALYZER_BASE_TEXT_H
#define XFERSPY_ANALYZER_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/memory.h" /* for the new strings that the caller frees */
#include "schema/path.h"          /* for code that names files */
#include "schema/utf8.h"

/* A growing string; `data` is NULL before the first addition, and NUL-terminated after it. The program ends if memory
 * runs out. */
struct xs_string {
    char *data;
    size_t length, capacity;
};

void xs_string_add(struct xs_string *string, const char *text, size_t bytes);
void xs_string_format(struct xs_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));
void xs_string_vformat(struct xs_string *string, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* Adds the rest of a file, and stops when the string has `most` bytes or more. */
void xs_string_read(struct xs_string *string, FILE *file, size_t most);
void xs_string_free(struct xs_string *string);

/* Declares a string that is freed at the end of its block, on every way out of it. Its text must not be given away. */
#define XS_SCOPED_STRING __attribute__((cleanup(xs_string_free))) struct xs_string

/* Returns a new string; the caller frees it. */
char *xs_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool xs_text_ends_with(const char *text, const char *end);

/* Adds `bytes` bytes of text, escaped so that printing them neither moves the cursor nor hides or reorders anything.
 * ASCII control characters become \n, \t or \xNN, and invalid UTF-8 becomes \xNN. Other control characters, and
 * invisible and direction-changing characters, become \uNNNN or \UNNNNNNNN. Other UTF-8 is not changed. */
void xs_string_escape(struct xs_string *string, const char *text, size_t bytes);

/* Escapes a text into a new string; the caller frees it. NULL gives "". */
char *xs_text_escaped(const char *text);

/* Adds a name as one word for a shell (schema/shell_word.h), for commands that a user is told to type. */
void xs_string_shell_word(struct xs_string *string, const char *word);

/* Quotes a name for a shell as a new string; the caller frees it. */
char *xs_text_shell_word(const char *word);

/* Returns the terminal columns that (escaped) text takes. */
int xs_text_width(const char *text);

/* Returns how many bytes of the text fit into `columns`. It never splits a character, and never separates a combining
 * mark from its character. */
size_t xs_text_fit(const char *text, int columns);

/* Adds `raw`, escaped, and cut with "..." if it is wider than `columns`. NULL adds nothing. */
void xs_string_add_cut(struct xs_string *text, const char *raw, int columns);

#endif
