/* A stack of the library's own for slow work. An application's thread may have the smallest of stacks, and a signal
 * handler may run on an alternate stack of a few KiB; a wrapper takes at most 2 KiB of them, and everything that needs
 * more runs here. */
#ifndef XFERSPY_PRELOAD_CORE_SCRATCH_H
#define XFERSPY_PRELOAD_CORE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Calls function(argument) on a stack of 1 MiB. Where the thread already is on one, it is called directly. Meanwhile
 * the thread cannot be cancelled, and signals wait (core/signals.h). So no handler jumps out of `function` or needs
 * room, and a garbage collector that stops threads by a signal never finds a stack pointer that it does not know.
 * Costs about as much as four system calls. Keeps errno.
 *
 * The handlers of faults do not wait. If one jumps out of `function`, locks that `function` holds stay locked, and
 * signals wait until the program lets them come, as siglongjmp does if sigsetjmp saved the mask. The stack is given
 * back, and the thread can be cancelled again, when the thread comes here the next time.
 *
 * A thread that is created here inherits that its signals wait. Only the driver and CUPTI create any here, and no code
 * of the application runs on those.
 *
 * False: there is no memory for a stack, and `function` was not called. Then the caller does less, or calls it itself
 * where that cannot be done without. Any thread, signal handlers too. In builds with sanitizers, which have to know
 * all stacks, the function runs on the caller's stack, and all else is the same. */
bool xs_on_scratch(void (*function)(void *argument), void *argument);

/* For work that has to be done: on the scratch stack, or on the caller's where there is none. There, too, signals and
 * cancellation wait. */
void xs_on_scratch_or_here(void (*function)(void *argument), void *argument);

/* Is this address on the scratch stack that the calling thread works on? Always false in builds with sanitizers. */
bool xs_is_scratch(uintptr_t address);

#endif
