/* Makes the trace complete while the process goes on. */
#ifndef XFERSPY_PRELOAD_SESSION_COMPLETE_H
#define XFERSPY_PRELOAD_SESSION_COMPLETE_H

/* Writes everything that happened up to now into the trace; waits three seconds at most. Returns NULL, or why the trace
 * is not complete. The session is active. */
const char *xs_make_complete(void);

#endif
