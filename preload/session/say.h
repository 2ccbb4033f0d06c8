/* Messages of the library to the user: single lines on stderr. */
#ifndef XFERSPY_PRELOAD_SESSION_SAY_H
#define XFERSPY_PRELOAD_SESSION_SAY_H

#include <stdbool.h>

/* xs_say_start remembers which file stderr is; xs_say_quietly sets whether to be silent. The functions below print only
 * to that file: a program that closed its stderr may have reused the number for its own file. Called when a session
 * starts. */
void xs_say_start(void);
void xs_say_quietly(bool quiet);

/* Prints "xferspy: TEXT" as one line, by one write that blocks nobody; errno is kept. Any thread. */
void xs_say(const char *text);

/* Prints like xs_say, at most once per process for each `once` flag. */
void xs_complain(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
