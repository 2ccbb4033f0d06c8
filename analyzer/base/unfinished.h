/* Files that are being written: a signal that ends the program takes them away first, so that no half of a file is taken for
 * a whole one and no temporary one stays. */
#ifndef XFERSPY_ANALYZER_BASE_UNFINISHED_H
#define XFERSPY_ANALYZER_BASE_UNFINISHED_H

/* From now on SIGINT, SIGTERM and SIGHUP, where nobody else handles or ignores them, remove the file. `path` is the caller's, to be
 * kept until xs_finished. A file beyond the eighth at a time is not taken care of. */
void xs_unfinished(const char *path);
/* No longer; nothing where it was not. For the thread that called xs_unfinished. */
void xs_finished(const char *path);

#endif
