/* Unfinished files are still being written. If a signal ends the program, these files are removed first, so nobody
 * takes a partial file for a complete one, and no temporary file remains. */
#ifndef XFERSPY_ANALYZER_BASE_UNFINISHED_H
#define XFERSPY_ANALYZER_BASE_UNFINISHED_H

/* Registers a file for removal when SIGINT, SIGTERM or SIGHUP arrives and nobody else handles or ignores the signal.
 * The caller keeps `path` until xs_finished. At most eight files at a time are removed in this way. */
void xs_unfinished(const char *path);
/* Unregisters the file, so that a signal does not remove it. Does nothing for a file that was not registered. Only the
 * thread that called xs_unfinished may call this function. */
void xs_finished(const char *path);

#endif
