/* File descriptors of the drain thread. The application may close every descriptor that it does not know, and its next
 * file must not get a number that SQLite still writes to. Conversely, this thread must not keep the application's files
 * open, so it has none of its descriptors. */
#ifndef XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H
#define XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H

/* Gives the calling thread its own descriptor table, without the application's descriptors. Does nothing in builds with
 * ThreadSanitizer, which knows one table per process and reports the same number in two tables as a race. */
void xs_own_descriptors(void);

#endif
