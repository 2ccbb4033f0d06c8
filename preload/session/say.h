/* Messages of the library to the user: single lines on stderr. */
#ifndef XFERSPY_PRELOAD_SESSION_SAY_H
#define XFERSPY_PRELOAD_SESSION_SAY_H

#include <stdbool.h>

/* Both are called when a session starts. xs_say_start remembers the file to which stderr refers; xs_say_quietly says
 * whether to print nothing. The functions below print only if stderr is still that file, because the program may have
 * closed it and reused its number. */
void xs_say_start(void);
void xs_say_quietly(bool quiet);

/* Prints "xferspy: TEXT" as one line, by a single write. Never waits: if stderr cannot take the line now, nothing is
 * printed. errno is kept. Any thread. */
void xs_say(const char *text);

/* Prints like xs_say, at most once per process for each `once` flag. */
void xs_complain(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
