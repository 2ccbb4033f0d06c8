/* What the library says to the user: single lines on stderr. */
#ifndef XFERSPY_PRELOAD_SESSION_SAY_H
#define XFERSPY_PRELOAD_SESSION_SAY_H

#include <stdbool.h>

/* Remembers which file stderr is, and whether to be quiet. Everything below prints only to that file: a program that
 * closed its stderr may have got the number back for a file of its own. Called when a session starts. */
void xs_say_start(void);
void xs_say_quietly(bool quiet);

/* Prints "xferspy: TEXT" as one line, by one write that blocks nobody; errno stays. Any thread. */
void xs_say(const char *text);

/* The same, at most once in a process for each `once` flag. */
void xs_complain(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
