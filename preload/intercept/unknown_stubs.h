/* Stubs for functions of which nothing is known but the address (driver/unknown.h): they call the function with all the
 * arguments that it was called with, in registers and on the stack, and give back what it returned.
 *
 * A stub calls and does not jump, so it has a frame of its own between the caller's and the function's: whoever unwinds
 * the stack (exceptions, pthread_cancel, profilers) finds it by its unwind table, a shadow stack in hardware agrees,
 * and a signal handler that jumps away leaves nothing behind but what the gate's guard notices. Therefore arguments on
 * the stack are copied: as many as XS_UNKNOWN_STACK_WORDS, where the driver's functions have six at most. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_UNKNOWN_STUBS_H
#define XFERSPY_PRELOAD_INTERCEPT_UNKNOWN_STUBS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/guard.h"

enum { XS_UNKNOWN_STACK_WORDS = 28 };

/* The lower part of a stub's frame; the assembly has the offsets. The registers with arguments are saved above it. */
struct xs_unknown_call {
    uint64_t stack[XS_UNKNOWN_STACK_WORDS];   /* where the function finds its arguments on the stack */
    struct xs_guard_note of_gate, of_repairs; /* of the guards that xs_unknown_enter raises; they live with the frame */
    void *real;                               /* the function, set by xs_unknown_enter */
    uint64_t index;                           /* of the stub */
    uintptr_t frame;              /* where the stub's return address lies; the caller's arguments are above */
    uint32_t is_gated, is_around; /* what xs_unknown_leave has to end */
};

/* The stub of an index below XS_UNKNOWN_MOST, as a program may call it. */
void *xs_unknown_stub(unsigned index);

/* Called by the stubs before and after the function, on the application's thread. */
void xs_unknown_enter(struct xs_unknown_call *call);
void xs_unknown_leave(struct xs_unknown_call *call);

#endif
