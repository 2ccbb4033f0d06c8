/* Stubs for functions known only by their address (driver/unknown.h). A stub calls its function with all the arguments
 * that it received, in registers and on the stack, and returns the function's result.
 *
 * A stub calls and does not jump, so its frame lies between the caller's and the function's. Unwinders (exceptions,
 * pthread_cancel, profilers) find it by its CFI, a hardware shadow stack agrees, and a signal handler that jumps away
 * leaves only what the gate's guard notices. Therefore stack arguments are copied: XS_UNKNOWN_STACK_WORDS words, where
 * the driver's functions have six at most. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_UNKNOWN_STUBS_H
#define XFERSPY_PRELOAD_INTERCEPT_UNKNOWN_STUBS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/guard.h"

enum { XS_UNKNOWN_STACK_WORDS = 28 };

/* The lower part of a stub's frame; the assembly knows the offsets. Argument registers are saved above it. */
struct xs_unknown_call {
    uint64_t stack[XS_UNKNOWN_STACK_WORDS]; /* stack arguments as the function finds them */
    struct xs_guard_note of_gate,
        of_repairs;               /* notes of the guards that xs_unknown_enter raises; they live with the frame */
    void *real;                   /* the function; set by xs_unknown_enter */
    uint64_t index;               /* index of the stub */
    uintptr_t frame;              /* address of the stub's return address; the caller's arguments are above */
    uint32_t is_gated, is_around; /* what xs_unknown_leave must end */
};

/* Returns the stub of an index below XS_UNKNOWN_MOST, in the form that a program may call. */
void *xs_unknown_stub(unsigned index);

/* The stubs call these before and after the function, on the application's thread. */
void xs_unknown_enter(struct xs_unknown_call *call);
void xs_unknown_leave(struct xs_unknown_call *call);

#endif
