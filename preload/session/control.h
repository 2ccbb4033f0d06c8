/* Lets commands control this process (`xferspy status`, start, stop and snapshot): a thread of the library waits at a
 * socket for their requests (schema/control/message.h).
 *
 * The thread has its own file descriptors, so the program can neither close the socket nor pass it on to a child. It
 * makes no call of the driver or of CUPTI: it opens and closes a window (core/asked_window.h), and the flusher and the
 * drain thread do the rest. A forked child has no such thread. */
#ifndef XFERSPY_PRELOAD_SESSION_CONTROL_H
#define XFERSPY_PRELOAD_SESSION_CONTROL_H

#include "preload/session/options.h"

/* Decides whether and where commands can reach this process. This function reads the environment, so the thread that
 * begins the session calls it. */
void xs_control_prepare(const struct xs_options *options);

/* Starts the thread if xs_control_prepare has decided that commands can reach this process. The trace must exist. */
void xs_control_start(void);

/* Runs when the process ends: deletes the socket's name. Takes no lock, so a signal handler may call this function. */
void xs_control_end(void);

#endif
