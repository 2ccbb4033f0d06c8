/* The state of capture in this process. */
#ifndef XFERSPY_PRELOAD_CORE_STATE_H
#define XFERSPY_PRELOAD_CORE_STATE_H

#include <stdatomic.h>

#include "schema/format/event.h"
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
    _Atomic int undecided; /* on the cache line that every wrapper reads anyway */
    char pad[XS_STATE_PAGE_BYTES - 2 * sizeof(int)];
} xs_state_page __attribute__((aligned(XS_STATE_PAGE_BYTES)));
#define xs_state (xs_state_page.value)

/* Something ran, or is about to, that may have written any device memory, and the trace does not say so yet. The next
 * event of any thread says it first (xs_thread_tell_undecided), so however often this is set, a trace has at most one
 * such row for each other one. In the trace it is api_call.argument. */
enum xs_undecided {
    XS_DECIDED,
    XS_UNDECIDED_HERE = XS_UNKNOWN_ONCE,        /* once: what device memory held before is not known any more */
    XS_UNDECIDED_FOR_GOOD = XS_UNKNOWN_FOR_GOOD /* it may happen at any time from now on */
};

/* Any thread. What was set by one thread before it told another one is seen by the other's next event. */
static inline void xs_undecided_from_here(enum xs_undecided what) {
    int before = atomic_load_explicit(&xs_state_page.undecided, memory_order_relaxed);
    while (before < (int)what && !atomic_compare_exchange_weak_explicit(&xs_state_page.undecided, &before, (int)what,
                                                                        memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* The spool of the session and the clock of its events. Both are set before xs_state becomes XS_STATE_ACTIVE, by a
 * store with release, and stay as they are until the process ends; in a forked child the spool has no header. */
extern struct xs_spool xs_spool;
extern enum xs_clock_source xs_clock_source;

/* Ends capture, because it could only go on wrongly: from now on calls pass through, and the trace says why. Only the
 * first reason counts. Any thread; defined in thread.c. */
void xs_stop(const char *why);

#endif
