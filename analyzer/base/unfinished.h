/* Unfinished files are still being written. If a signal ends the program, these files are removed first, so nobody
 * takes a partial file for a complete one, and no temporary file remains. */
#ifndef XFERSPY_ANALYZER_BASE_UNFINISHED_H
#define XFERSPY_ANALYZER_BASE_UNFINISHED_H

#include <signal.h>
#include <stddef.h>

/* Registers a file for removal when SIGINT, SIGTERM or SIGHUP arrives and no other code handles or ignores the signal.
 * The caller keeps `path` until xs_finished. At most eight files at a time are removed in this way. */
void xs_unfinished(const char *path);
/* Blocks the three signals until xs_unfinished_go_on. Some callers learn the name of a file only when they make the
 * file. Such a caller makes the file and registers it between the two calls, so that no signal arrives while the file
 * exists without being registered. */
void xs_unfinished_wait(sigset_t *before);
void xs_unfinished_go_on(const sigset_t *before);
/* Unregisters the file, so that a signal does not remove it. Does nothing for a file that was not registered. Only the
 * thread that called xs_unfinished may call this function. */
void xs_finished(const char *path);
/* Writes a text that shows or removes a line on the terminal, to standard error. `columns` is the width of the line
 * that is on the terminal afterwards, at most 120; 0: there is no line. Before a signal ends the program, the line is
 * removed, and from then on this function writes nothing. Only one thread at a time may call this function. */
void xs_unfinished_line(const char *text, size_t bytes, int columns);

#endif
