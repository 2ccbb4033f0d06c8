/* The state of capture in this process. */
#ifndef XFERSPY_PRELOAD_CORE_STATE_H
#define XFERSPY_PRELOAD_CORE_STATE_H

#include <stdatomic.h>

#include "schema/spool/spool.h"

enum xs_state {
    XS_STATE_IDLE,    /* CUDA has not been started */
    XS_STATE_ACTIVE,  /* events are recorded */
    XS_STATE_CLOSED,  /* the trace is complete, or capture gave up; calls pass through */
    XS_STATE_CHILD,   /* a forked child of a process with a session */
    XS_STATE_DISABLED /* XFERSPY_ENABLE=off, or no trace could be made */
};

/* The state lies on pages of its own, which a fork wipes where the kernel can (MADV_WIPEONFORK). So even a child
 * that was made without fork handlers (_Fork, clone) finds XS_STATE_IDLE, and does not write into a spool that it
 * does not have. */
#define XS_STATE_PAGE_BYTES 65536
extern struct xs_state_page {
    _Atomic int value;
    char pad[XS_STATE_PAGE_BYTES - sizeof(int)];
} xs_state_page __attribute__((aligned(XS_STATE_PAGE_BYTES)));
#define xs_state (xs_state_page.value)

/* The spool of the session and the clock of its events. Both are set before xs_state becomes XS_STATE_ACTIVE, by a
 * store with release, and stay as they are until the process ends; in a forked child the spool has no header. */
extern struct xs_spool xs_spool;
extern enum xs_clock_source xs_clock_source;

/* Ends capture, because it could only go on wrongly: from now on calls pass through, and the trace says why. Only the
 * first reason counts. Any thread; defined in thread.c. */
void xs_stop(const char *why);

#endif
