/* Names in commands that a user is told to type. */
#ifndef XFERSPY_SCHEMA_SHELL_WORD_H
#define XFERSPY_SCHEMA_SHELL_WORD_H

#include <stddef.h>

/* Writes `word` as one word for a POSIX shell: as it is if no shell would change it, else in single quotes. At most
 * `bytes` bytes are written, with the NUL, as by snprintf. Returns the length of the whole word. No allocation, no
 * locale: a signal handler may call it. */
size_t xs_shell_word(char *buffer, size_t bytes, const char *word);

#endif
