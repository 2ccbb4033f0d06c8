/* Prints messages of the library to the user, as single lines on stderr. */
#ifndef XFERSPY_PRELOAD_SESSION_SAY_H
#define XFERSPY_PRELOAD_SESSION_SAY_H

#include <stdbool.h>

/* xs_say_start and xs_say_quietly are called when a session starts. xs_say_start remembers the file to which stderr
 * refers. After xs_say_quietly(true), nothing is printed. xs_say and xs_complain print only if stderr still refers to
 * the remembered file, because the program may have closed stderr and reused its number. */
void xs_say_start(void);
void xs_say_quietly(bool quiet);

/* Prints "xferspy: TEXT" as one line, by a single write. Never waits: if stderr cannot take the line at once, nothing
 * is printed. Does not change errno. Any thread may call this function. */
void xs_say(const char *text);

/* Prints like xs_say, at most once per process for each `once` flag. */
void xs_complain(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
