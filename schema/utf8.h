/* Contains the rules by which the library and the commands print UTF-8. Text from a trace, a file name or the
 * environment must not be able to move the cursor of a terminal. */
#ifndef XFERSPY_SCHEMA_UTF8_H
#define XFERSPY_SCHEMA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of a text and returns its length in bytes. Returns 0 if the text is empty, or does not
 * begin with valid UTF-8. */
size_t xs_utf8_decode(const char *text, size_t bytes, uint32_t *code);

/* Escapes the first character of a text, which must not be empty. Returns 0 if the character may be printed unchanged,
 * else the length of the text written to `out`. `*used` receives the character's length in bytes.
 * A signal handler may call this function. */
#define XS_UTF8_ESCAPE_BYTES 16
size_t xs_utf8_escape(char *out, const char *text, size_t bytes, size_t *used);

#endif
