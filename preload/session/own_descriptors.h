/* File descriptors of the drain thread's own. The application may close every descriptor that it does not know, and the
 * next file that it opens must not get a number that SQLite still writes to. And because this thread must not keep
 * files of the application open, it has none of the application's descriptors. */
#ifndef XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H
#define XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H

/* A descriptor table of this thread's own, with nothing of the application's in it. Not in builds with
 * ThreadSanitizer: it knows one table a process and takes the same number in two tables for a race. */
void xs_own_descriptors(void);

#endif
