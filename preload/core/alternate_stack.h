/* Runs slow work on a stack of the library's own, which is called a scratch stack. An application thread may have a
 * very small stack, and a signal handler may run on an alternate stack of a few KiB. A wrapper therefore uses at most 2
 * KiB of the caller's stack, and all work that needs more runs on a scratch stack. */
#ifndef XFERSPY_PRELOAD_CORE_ALTERNATE_STACK_H
#define XFERSPY_PRELOAD_CORE_ALTERNATE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Calls function(argument) on a stack of 1 MiB, or directly if the thread is already on such a stack. During the call
 * the thread cannot be cancelled, and signals are blocked (core/signals.h). Therefore no signal handler jumps out of
 * `function` or needs stack space, and a garbage collector that stops threads by a signal never finds an unknown stack
 * pointer. The switch takes two system calls, and two or three more if a stack has to be mapped. Keeps errno.
 *
 * Handlers of faults are not blocked. If such a handler jumps out of `function`, the locks that `function` holds stay
 * locked, and signals stay blocked until the program unblocks them; siglongjmp does so if sigsetjmp saved the signal
 * mask. The next call of xs_on_scratch on this thread then releases the abandoned stack and makes the thread
 * cancellable again.
 *
 * A thread that `function` creates inherits the blocked signals. Only the driver and CUPTI create threads in this way,
 * and such threads run no application code.
 *
 * False: there is no memory for a stack, and `function` was not called. The caller then skips the work or, if the work
 * must be done, calls `function` on its present stack. Any thread, and also signal handlers. In builds with sanitizers,
 * which must know all stacks, `function` runs on the caller's stack; signals and cancellation are blocked in such
 * builds, too. */
bool xs_on_scratch(void (*function)(void *argument), void *argument);

/* Does what xs_on_scratch does, but for work that must be done. If there is no memory for a scratch stack, calls
 * `function` on the caller's stack. Signals and cancellation are blocked in both cases. */
void xs_on_scratch_or_here(void (*function)(void *argument), void *argument);

/* True if `address` is on the scratch stack on which the calling thread runs. The result is always false in builds with
 * sanitizers. */
bool xs_is_scratch(uintptr_t address);

#endif
