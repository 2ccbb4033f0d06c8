/* The drain thread has file descriptors of its own. The application may close every descriptor that it does not know.
 * With a common table, the application's next file would then get a number to which SQLite still writes. Conversely,
 * the drain thread must not keep the application's files open, so it has no descriptors of the application. */
#ifndef XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H
#define XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H

/* Gives the calling thread its own table of descriptors, without the application's descriptors. Does nothing in builds
 * with ThreadSanitizer, because ThreadSanitizer assumes one table per process and reports a race if the same number is
 * used in two tables. */
void xs_own_descriptors(void);

#endif
