/* A thread has a guard. While the guard is raised, every wrapper that this thread enters calls the driver directly and
 * records nothing. Therefore xferspy's own calls of the driver and CUPTI are not recorded as calls of the application,
 * and neither are calls that the driver makes inside a wrapped call.
 *
 * Some wrappers never reach the point where they lower their guard, because a signal handler jumps out of the driver's
 * call (siglongjmp), an exception of a callback passes through the wrapper, or the thread is cancelled in it. Therefore
 * a function that raises a guard keeps a note in its own stack frame, and the guard points to the note. The note says
 * where the function's return address lies. The next wrapped call that finds the guard raised checks whether this stack
 * frame still exists.
 *
 * A signal handler may interrupt at any instruction, make its own calls, and jump away. A guard is raised by one store
 * and lowered by one store, so it is never raised without its note. If a handler makes a call before the interrupted
 * wrapper has raised the guard, the handler's call has its own note, and lowers the guard when it ends.
 *
 * A guard belongs to its thread; no other thread reads or writes it. Signal handlers that run on the thread see the
 * same guard. */
#ifndef XFERSPY_PRELOAD_CORE_GUARD_H
#define XFERSPY_PRELOAD_CORE_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"

/* The note of a function that raises a guard. It is a variable of that function, so it exists as long as the function's
 * stack frame. */
struct xs_guard_note {
    volatile uintptr_t frame;          /* address of the function's return address */
    volatile uintptr_t return_address; /* the word at address `frame` until the function returns */
};

struct xs_guard {
    const struct xs_guard_note *volatile raised; /* NULL: not raised */
};
extern XS_TLS struct xs_guard xs_guard; /* defined in thread.c, with the other thread-locals */

/* The note for code that no jump can leave: code of the library's own threads, and code that runs while signals are
 * blocked. */
extern const struct xs_guard_note xs_guard_unleft;

/* Gives the address at which the return address of the present function lies. */
#if defined(__x86_64__)
#define XS_GUARD_HERE() ((uintptr_t)__builtin_dwarf_cfa() - sizeof(uintptr_t))
#else
/* The return address is the word after the saved frame pointer. */
#define XS_GUARD_HERE() ((uintptr_t)__builtin_frame_address(0) + sizeof(uintptr_t))
#endif

/* Raises the guard for the wrapper that owns `note` and has its return address at `frame`. */
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

/* xs_guard_enter(&own) raises the guard before the library's own calls, and xs_guard_leave(&own) restores the guard
 * after them. The same function must call both. The guard may already be raised when xs_guard_enter is called. If the
 * wrapper that raised it no longer exists, the first wrapped call after xs_guard_leave lowers the guard. */
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

/* True if the function that raised this guard of the calling thread no longer exists and did not lower the guard.
 * `frame` is XS_GUARD_HERE() of the function that calls this one. The result is true only in these cases, in which the
 * answer is certain:
 *
 * - the word where the return address lay has changed, because no function changes this word before it returns; or the
 *   note was unmapped or overwritten; or
 * - the caller's frame and the frame of the function that raised the guard are both on the thread's own stack, and the
 *   caller's frame is not at a lower address, so that function has not called the caller; or
 * - the function that raised the guard ran on the alternate signal stack, and the thread is on its own stack again; or
 * - an unwind by CFI goes beyond the address of the frame that raised the guard, and does not find that frame
 *   (xs_hooks.is_gone).
 *
 * Otherwise the result is false, for example for a coroutine's stack that is not reused. On a scratch stack the result
 * is always false, because only the library itself makes calls there. */
bool xs_guard_has_lost(const struct xs_guard *guard, uintptr_t frame);

#endif
