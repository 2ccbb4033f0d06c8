/* Files that are being written. If a signal ends the program, these files are removed first. So nobody takes half of a
 * file for a complete one, and no temporary file stays. */
#ifndef XFERSPY_ANALYZER_BASE_UNFINISHED_H
#define XFERSPY_ANALYZER_BASE_UNFINISHED_H

/* From now on the file is removed when SIGINT, SIGTERM or SIGHUP arrives and nobody else handles or ignores the signal.
 * The caller keeps `path` until xs_finished. At most eight files at a time are removed in this way. */
void xs_unfinished(const char *path);
/* From now on the file stays. Does nothing for a file that was not registered. Has to be called by the thread that
 * called xs_unfinished. */
void xs_finished(const char *path);

#endif
