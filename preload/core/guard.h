/* The guard of a thread: while it is raised, every wrapper that this thread enters passes straight through to the
 * driver. So calls that xferspy makes itself of the driver and of CUPTI, and calls that the driver makes inside a
 * wrapped one, are not recorded as the application's.
 *
 * A wrapper may never come to lower its guard: a signal handler jumps out of the driver's call (siglongjmp), an
 * exception of a callback passes through it, or the thread is cancelled in it. So whoever raises a guard keeps a note
 * in his own frame, which says where his return address lies, and the guard points to the note. The next call that
 * finds the guard raised looks whether that frame is still there.
 *
 * A signal handler may come at any instruction, make calls of its own, and jump away. One store raises a guard and one
 * lowers it, so there is no instruction at which a guard is raised without its note. A call that the handler makes
 * while the guard is not raised yet has a note of its own, and leaves the guard as it was.
 *
 * All of it belongs to the calling thread alone; a signal handler on the thread sees it, too. */
#ifndef XFERSPY_PRELOAD_CORE_GUARD_H
#define XFERSPY_PRELOAD_CORE_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"

/* The note of a function that raises a guard: a variable of that function itself, so that it lives as long as the
 * frame.
 */
struct xs_guard_note {
    volatile uintptr_t frame;          /* address of the function's return address */
    volatile uintptr_t return_address; /* what lies there as long as the function has not returned */
};

struct xs_guard {
    const struct xs_guard_note *volatile raised; /* NULL: it is not raised */
};
extern XS_TLS struct xs_guard xs_guard; /* defined in thread.c, with the other variables of a thread */

/* The note of who cannot be left by a jump: the library's own threads, and work during which signals wait. */
extern const struct xs_guard_note xs_guard_unleft;

/* Where the return address of the function lies that this stands in. */
#if defined(__x86_64__)
#define XS_GUARD_HERE() ((uintptr_t)__builtin_dwarf_cfa() - sizeof(uintptr_t))
#else
#define XS_GUARD_HERE() ((uintptr_t)__builtin_frame_address(0) + sizeof(uintptr_t)) /* behind the frame pointer */
#endif

/* Raises the guard for a wrapper, whose note this is and whose return address lies at `frame`. */
XS_HOT void xs_guard_raise_this(struct xs_guard *guard, struct xs_guard_note *note, uintptr_t frame) {
    note->frame = frame;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the stack
    note->return_address = *(const uintptr_t *)frame;
    atomic_signal_fence(memory_order_seq_cst);
    guard->raised = note;
}
XS_HOT void xs_guard_raise(struct xs_guard_note *note, uintptr_t frame) { xs_guard_raise_this(&xs_guard, note, frame); }

XS_HOT void xs_guard_lower_this(struct xs_guard *guard) { guard->raised = NULL; }
XS_HOT void xs_guard_lower(void) { xs_guard_lower_this(&xs_guard); }

/* Around the library's own calls, in one function: xs_guard_enter(&own) and xs_guard_leave(&own). The guard may be
 * raised already. If a wrapper that is gone had raised it, it is lowered by the first call after xs_guard_leave. */
struct xs_guard_own {
    struct xs_guard_note note;
    const struct xs_guard_note *before;
};
static inline void xs_guard_enter_at(struct xs_guard_own *own, uintptr_t frame) {
    own->before = xs_guard.raised;
    xs_guard_raise(&own->note, frame);
}
#define xs_guard_enter(own) xs_guard_enter_at((own), XS_GUARD_HERE())
static inline void xs_guard_leave(const struct xs_guard_own *own) {
    atomic_signal_fence(memory_order_seq_cst);
    xs_guard.raised = own->before;
}

/* In a thread of the library's own: every call that it ever makes is the library's. */
static inline void xs_guard_own_thread(void) { xs_guard.raised = &xs_guard_unleft; }

/* Is the function that raised the guard gone, without having lowered it? `frame` is XS_GUARD_HERE() of the function
 * that asks. Yes only where it is certain:
 *
 * - another word lies where the return address was, which no function changes before it returns, or nothing is mapped
 *   where the note was, or the note was overwritten; or
 * - both frames are on the thread's own stack, and the one that asks is not below the other, as that of a function is
 *   that was called from it; or
 * - the function was called on the alternate signal stack, and the thread is on its own again; or
 * - a walk over the stack by its unwind tables comes past the frame and does not find it (xs_hooks.is_gone).
 *
 * Else the answer is no, as for a coroutine's stack that is not used again. On a scratch stack it is always no: calls
 * from there are the library's own. */
bool xs_guard_is_stale(uintptr_t frame);

/* The same of any other guard of the calling thread that a function raised by xs_guard_raise_this. */
bool xs_guard_has_lost(const struct xs_guard *guard, uintptr_t frame);

#endif
