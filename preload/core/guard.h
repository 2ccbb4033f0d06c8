/* The guard of a thread: while its depth is not 0, every wrapper that this thread enters passes straight through to
 * the driver. So calls that xferspy makes itself of the driver and of CUPTI, and calls that the driver makes inside
 * a wrapped one, are not recorded as the application's.
 *
 * A wrapper may never come to lower its guard: a signal handler jumps out of the driver's call (siglongjmp), an
 * exception of a callback passes through it, or the thread is cancelled in it. So the guard remembers where the
 * wrapper's return address lies. The next call that finds the guard raised looks whether that frame is still there.
 *
 * All of it belongs to the calling thread alone; a signal handler on the thread sees it, too. */
#ifndef XFERSPY_PRELOAD_CORE_GUARD_H
#define XFERSPY_PRELOAD_CORE_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"

struct xs_guard {
    unsigned depth;
    uintptr_t frame;          /* address of the return address of the wrapper that raised it; 0: raised otherwise */
    uintptr_t return_address; /* what lies there as long as the wrapper has not returned */
};
extern XS_TLS struct xs_guard xs_guard; /* defined in thread.c, with the other variables of a thread */

/* Around the library's own calls. If a wrapper that is gone had raised the guard, it is lowered by the first call after
 * xs_guard_leave. */
static inline void xs_guard_enter(void) { xs_guard.depth++; }
static inline void xs_guard_leave(void) { xs_guard.depth--; }

/* Where the return address of the function lies that this stands in. */
#if defined(__x86_64__)
#define XS_GUARD_HERE() ((uintptr_t)__builtin_dwarf_cfa() - sizeof(uintptr_t))
#else
#define XS_GUARD_HERE() ((uintptr_t)__builtin_frame_address(0) + sizeof(uintptr_t)) /* behind the frame pointer */
#endif

/* Raises the guard for a wrapper, whose return address lies at `frame`. A signal handler may come at any instruction:
 * a frame of 0 tells it that the guard is good. */
XS_HOT void xs_guard_raise_this(struct xs_guard *guard, uintptr_t frame) {
    guard->depth = 1;
    atomic_signal_fence(memory_order_seq_cst);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the stack
    guard->return_address = *(const uintptr_t *)frame;
    atomic_signal_fence(memory_order_seq_cst);
    guard->frame = frame;
}
XS_HOT void xs_guard_raise(uintptr_t frame) { xs_guard_raise_this(&xs_guard, frame); }

XS_HOT void xs_guard_lower_this(struct xs_guard *guard) {
    guard->frame = 0;
    atomic_signal_fence(memory_order_seq_cst);
    guard->depth = 0;
}
XS_HOT void xs_guard_lower(void) { xs_guard_lower_this(&xs_guard); }

/* Is the wrapper that raised the guard gone, without having lowered it? `frame` is XS_GUARD_HERE() of the function that
 * asks. Yes only where it is certain:
 *
 * - another word lies where the wrapper's return address was, which no function changes before it returns; or
 * - both frames are on the thread's own stack, and the one that asks is not below the other, as that of a function is
 *   that was called from it; or
 * - the wrapper was called on the alternate signal stack, and the thread is on its own again; or
 * - a walk over the stack by its unwind tables comes past the frame and does not find it (xs_hooks.is_gone).
 *
 * Else the answer is no, as for a coroutine's stack that is not used again. */
bool xs_guard_is_stale(uintptr_t frame);

/* The same of any other guard of the calling thread that a function raised by xs_guard_raise_this. */
bool xs_guard_has_lost(const struct xs_guard *guard, uintptr_t frame);

#endif
