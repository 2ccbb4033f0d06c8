/* Declares the state of capture in this process. */
#ifndef XFERSPY_PRELOAD_CORE_STATE_H
#define XFERSPY_PRELOAD_CORE_STATE_H

#include <stdatomic.h>

#include "schema/format/event.h"
#include "schema/spool/spool.h"

enum xs_state {
    XS_STATE_IDLE,    /* CUDA has not started yet */
    XS_STATE_ACTIVE,  /* events are recorded */
    XS_STATE_CLOSED,  /* the trace is complete, or capture ended early; calls are not recorded */
    XS_STATE_CHILD,   /* this process is a forked child of a process with a session */
    XS_STATE_DISABLED /* XFERSPY_ENABLE=off, or no trace could be made */
};

/* The state lies on memory pages of its own, which the kernel zeroes in a forked child if it can (MADV_WIPEONFORK). So
 * even a child that was made without fork handlers (by _Fork or clone) finds XS_STATE_IDLE, and does not write into a
 * spool that the child does not have. */
#define XS_STATE_PAGE_BYTES 65536
extern struct xs_state_page {
    _Atomic int value;
    _Atomic int contents_unknown; /* enum xs_contents_unknown; in the cache line that every wrapper reads anyway */
    _Atomic int rules;            /* 1: copies and waits are looked at (core/guard_rules.h); in the same cache line */
    char pad[XS_STATE_PAGE_BYTES - 3 * sizeof(int)];
} xs_state_page __attribute__((aligned(XS_STATE_PAGE_BYTES)));
#define xs_state (xs_state_page.value)

/* Says whether something that may write any device memory has run or is about to run without a row in the trace. If so,
 * the thread that begins the next event first records this value in the trace (xs_thread_tell_contents_unknown). The
 * value may be set very often, but the trace gets at most one such row for each event that begins. The trace stores the
 * value as api_call.argument. */
enum xs_contents_unknown {
    XS_CONTENTS_ARE_KNOWN,
    /* The contents of device memory have become unknown once. */
    XS_CONTENTS_UNKNOWN_ONCE = XS_UNKNOWN_ONCE,
    XS_CONTENTS_UNKNOWN_FOR_GOOD = XS_UNKNOWN_FOR_GOOD /* the contents may become unknown at any time from now on */
};

/* Raises the value to `what` if the value is lower. Any thread. If a thread calls this function and then wakes another
 * thread, the other thread sees the change when it begins its next event. */
static inline void xs_contents_unknown_from_here(enum xs_contents_unknown what) {
    int before = atomic_load_explicit(&xs_state_page.contents_unknown, memory_order_relaxed);
    while (before < (int)what &&
           !atomic_compare_exchange_weak_explicit(&xs_state_page.contents_unknown, &before, (int)what,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* The session's spool and the clock of its events. Both are set before a release store sets xs_state to
 * XS_STATE_ACTIVE, and stay valid until the process ends. In a forked child the spool has no header. */
extern struct xs_spool xs_spool;
extern enum xs_clock_source xs_clock_source;

/* Ends capture because its further results would be wrong. From now on no calls are recorded, and the trace says why.
 * Only the first reason is kept. Any thread; defined in thread.c. */
void xs_stop(const char *why);

#endif
