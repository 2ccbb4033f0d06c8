/* Unfinished files are still being written. If a signal ends the program, these files are removed first, so nobody
 * takes a partial file for a complete one, and no temporary file remains. */
#ifndef XFERSPY_ANALYZER_BASE_UNFINISHED_H
#define XFERSPY_ANALYZER_BASE_UNFINISHED_H

#include <signal.h>
#include <stddef.h>

/* Registers a file for removal when SIGINT, SIGTERM or SIGHUP arrives and nobody else handles or ignores the signal.
 * The caller keeps `path` until xs_finished. At most eight files at a time are removed in this way. */
void xs_unfinished(const char *path);
/* Between these two functions the signals wait, so that a file is registered before one can arrive. A caller whose file
 * has a name only after it was made makes and registers it between them. */
void xs_unfinished_wait(sigset_t *before);
void xs_unfinished_go_on(const sigset_t *before);
/* Unregisters the file, so that a signal does not remove it. Does nothing for a file that was not registered. Only the
 * thread that called xs_unfinished may call this function. */
void xs_finished(const char *path);
/* Writes text to standard error, after which a line of so many columns, at most 120, stands on the terminal; 0: there
 * is no line. A signal removes the line before it ends the program, and nothing is written after that. Only one thread
 * at a time may call this function. */
void xs_unfinished_line(const char *text, size_t bytes, int columns);

#endif
