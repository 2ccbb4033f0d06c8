/* The drain thread has its own table of file descriptors, because the application may close every descriptor that it
 * does not know. If the drain thread used the application's table, the application could then open a file and get a
 * number to which SQLite still writes. In addition, the drain thread must not keep the application's files open, so its
 * table contains no descriptors of the application. */
#ifndef XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H
#define XFERSPY_PRELOAD_SESSION_OWN_DESCRIPTORS_H

/* Gives the calling thread its own table of descriptors, without the application's descriptors. If this fails, adds a
 * note to the trace. Does nothing in builds with ThreadSanitizer, because ThreadSanitizer assumes one table per process
 * and reports a race if the same number is used in two tables. */
void xs_own_descriptors(void);

#endif
