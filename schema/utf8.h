/* Both halves print UTF-8 by these rules: text from a trace, a file name or the environment must not move a terminal's
 * cursor. */
#ifndef XFERSPY_SCHEMA_UTF8_H
#define XFERSPY_SCHEMA_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of a text and returns its length in bytes; 0 at the end and before bytes that are not
 * UTF-8. */
size_t xs_utf8_decode(const char *text, size_t bytes, uint32_t *code);

/* True for characters that a reader cannot see, or that change the order in which others are shown. */
bool xs_utf8_is_hidden(uint32_t code);

/* Escapes the first character of a text (of one byte or more). Returns 0 if the character prints as it is, else the
 * length written to `out`. `*used` receives the character's length in bytes. */
#define XS_UTF8_ESCAPE_BYTES 16
size_t xs_utf8_escape(char *out, const char *text, size_t bytes, size_t *used);

#endif
