/* Declares the stubs for driver functions whose parameters xferspy does not know (driver/unknown.h). A stub calls its
 * function with all the arguments that it received, in registers and on the stack, and returns the function's result.
 *
 * A stub calls the function and does not jump to it, so the stack frame of the stub lies between those of the caller
 * and of the function. Unwinders (exceptions, pthread_cancel, profilers) can pass the stub by its CFI, a hardware
 * shadow stack stays correct, and if a signal handler jumps out of the function, the gate's guard detects this. Because
 * of this frame, arguments on the stack have to be copied. XS_UNKNOWN_STACK_WORDS words are copied; the driver's
 * functions have at most six. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_UNKNOWN_STUBS_H
#define XFERSPY_PRELOAD_INTERCEPT_UNKNOWN_STUBS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/guard.h"

enum { XS_UNKNOWN_STACK_WORDS = 28 };

/* The lower part of a stub's stack frame. The assembly depends on the offsets, and saves the argument registers above
 * this structure. */
struct xs_unknown_call {
    uint64_t stack[XS_UNKNOWN_STACK_WORDS]; /* copy of the stack arguments, for the function */
    struct xs_guard_note of_gate,
        of_repairs;  /* notes of the guards that xs_unknown_enter raises; valid as long as the frame exists */
    void *real;      /* the function; set by xs_unknown_enter */
    uint64_t index;  /* index of the stub */
    uintptr_t frame; /* address of the stub's return address; the caller's stack arguments are above it */
    /* `is_gated`: xs_unknown_leave must leave the gate. `is_around`: xs_unknown_leave must tell the repairs. */
    uint32_t is_gated, is_around;
};

/* Returns the address of the stub with this index, which the program may call. The index must be less than
 * XS_UNKNOWN_MOST. */
void *xs_unknown_stub(unsigned index);

/* The stubs call these functions before and after the driver's function, on the application's thread. */
void xs_unknown_enter(struct xs_unknown_call *call);
void xs_unknown_leave(struct xs_unknown_call *call);

#endif
