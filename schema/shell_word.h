/* Quotes names for the shell, in commands that are suggested to the user. */
#ifndef XFERSPY_SCHEMA_SHELL_WORD_H
#define XFERSPY_SCHEMA_SHELL_WORD_H

#include <stddef.h>

/* Writes `word` so that a shell reads it as one word: unchanged if every shell takes it literally, else in single
 * quotes, which every POSIX shell reads. If output would show a character in another form (utf8.h), such as a new line,
 * the word is written as $'a\nb', which bash, zsh and ksh read. Like snprintf, writes at most `bytes` bytes including
 * the NUL, and returns the length of the whole word. Allocates no memory and uses no locale, so a signal handler may
 * call this function. */
size_t xs_shell_word(char *buffer, size_t bytes, const char *word);

#endif
