/* A stack of the library's own for slow work. An application thread may have the smallest of stacks, and a signal
 * handler may run on an alternate stack of a few KiB; a wrapper takes at most 2 KiB of them, and all larger work runs
 * here. */
#ifndef XFERSPY_PRELOAD_CORE_ALTERNATE_STACK_H
#define XFERSPY_PRELOAD_CORE_ALTERNATE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Calls function(argument) on a stack of 1 MiB, or directly if the thread is already on one. Meanwhile the thread
 * cannot be cancelled, and signals are blocked (core/signals.h). So no handler jumps out of `function` or needs room,
 * and a garbage collector that stops threads by a signal never finds an unknown stack pointer. Costs about four system
 * calls. Keeps errno.
 *
 * Handlers of faults are not blocked. If one jumps out of `function`, locks that `function` holds stay locked, and
 * signals stay blocked until the program unblocks them, as siglongjmp does if sigsetjmp saved the mask. The thread's
 * next call of this function gives the stack back and makes the thread cancellable again.
 *
 * A thread that is created here inherits the blocked signals. Only the driver and CUPTI create any here, and those run
 * no application code.
 *
 * False: there is no memory for a stack, and `function` was not called. Then the caller does less, or, for work that
 * must be done, calls it on its own stack. Any thread, signal handlers too. In builds with sanitizers, which must know
 * all stacks, the function runs on the caller's stack; everything else stays the same. */
bool xs_on_scratch(void (*function)(void *argument), void *argument);

/* Calls like xs_on_scratch, for work that must be done: on the caller's stack if there is no scratch stack. Signals and
 * cancellation are blocked in both cases. */
void xs_on_scratch_or_here(void (*function)(void *argument), void *argument);

/* Is this address on the scratch stack that the calling thread works on? Always false in builds with sanitizers. */
bool xs_is_scratch(uintptr_t address);

#endif
