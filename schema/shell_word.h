/* Commands that a user is told to type contain names quoted for the shell. */
#ifndef XFERSPY_SCHEMA_SHELL_WORD_H
#define XFERSPY_SCHEMA_SHELL_WORD_H

#include <stddef.h>

/* Writes `word` as one word for a POSIX shell: unchanged if no shell would change it, else in single quotes. Writes at
 * most `bytes` bytes including the NUL, like snprintf. Returns the length of the whole word. Allocates nothing and uses
 * no locale, so a signal handler may call it. */
size_t xs_shell_word(char *buffer, size_t bytes, const char *word);

#endif
