/* UTF-8 as both halves print it: what comes from a trace, a file name or the environment may not move a terminal's
 * cursor. */
#ifndef XFERSPY_SCHEMA_UTF8_H
#define XFERSPY_SCHEMA_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first character of a text and its length in bytes; 0 where there is none: at the end, and before bytes that are
 * no UTF-8. */
size_t xs_utf8_decode(const char *text, size_t bytes, uint32_t *code);

/* Characters that a reader cannot see, or that change the order in which the others are shown. */
bool xs_utf8_is_hidden(uint32_t code);

/* How the first character of a text (of one byte or more) is printed: 0 where as it is, else the length of what is
 * written to `out`. `*used` gets the character's bytes. */
#define XS_UTF8_ESCAPE_BYTES 16
size_t xs_utf8_escape(char *out, const char *text, size_t bytes, size_t *used);

#endif
