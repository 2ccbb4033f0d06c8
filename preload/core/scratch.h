/* A stack of the library's own for slow work. An application's thread may have the smallest of stacks, and a signal
 * handler may run on an alternate stack of a few KiB; a wrapper takes at most 2 KiB of them, and everything that needs
 * more runs here. */
#ifndef XFERSPY_PRELOAD_CORE_SCRATCH_H
#define XFERSPY_PRELOAD_CORE_SCRATCH_H

#include <stdbool.h>

/* Calls function(argument) on a stack of 1 MiB. Where the thread already is on one, it is called directly. Meanwhile
 * the thread cannot be cancelled, and signals wait, except those that report a fault. So nothing jumps out of
 * `function`, no handler needs room, and a garbage collector that stops threads by a signal never finds a stack
 * pointer that it does not know. Costs about as much as four system calls. Keeps errno.
 *
 * False: there is no memory for a stack, and `function` was not called. Then the caller does less, or calls it itself
 * where that cannot be done without. Any thread, signal handlers too. In builds with sanitizers, which have to know
 * all stacks, the function runs on the caller's stack. */
bool xs_on_scratch(void (*function)(void *argument), void *argument);

/* For work that has to be done: on the scratch stack, or on the caller's where there is none. */
void xs_on_scratch_or_here(void (*function)(void *argument), void *argument);

#endif
