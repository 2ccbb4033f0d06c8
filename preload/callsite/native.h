/* The native stack of the calling thread: return addresses from the caller of a wrapper outwards. No lock, no allocation and no
 * system call once the code that calls is known; memory is only read where the thread's stack is mapped for certain. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/thread.h"

/* The registers of a wrapper's caller as they are when the wrapper returns. */
struct xs_caller {
    uint64_t pc; /* the wrapper's return address */
    uint64_t sp;
    uint64_t fp; /* rbp, x29 */
};

enum xs_unwinder {
    XS_UNWIND_NONE,
    XS_UNWIND_AUTO, /* the tables, and for code without any the frame pointers, where they lead back to code with tables */
    XS_UNWIND_FP,    /* the chain of frame pointers; on aarch64, whose code has it, that is what all three do */
    XS_UNWIND_DWARF, /* the unwind tables of the modules, .eh_frame */
};

/* Writes at most `limit` return addresses, innermost first, beginning with caller->pc; returns how many. `*is_cut`: there may be
 * more. Async-signal-safe; any thread, any stack. */
unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit,
                        bool *is_cut);

/* The number of the module that holds an address, 0: none. One that is new is defined (xs_define). */
uint32_t xs_native_module(uint64_t pc, struct xs_event **e);

/* Grows when a module comes to lie where another one was that was defined: the same addresses are another stack from then on. */
extern _Atomic uint32_t xs_native_replaced;

/* Around the real dlclose. In between, the loader's list is not looked at by this thread, whose signal handlers could find it
 * half changed. After it, if a library went, what is known of the code at its addresses is no longer true. */
void xs_native_unloading(void);
void xs_native_unloaded(void);

/* Around a fork, in the parent: no other thread of it holds the loader's lock for a walk meanwhile. glibc leaves the child a copy
 * of that lock as it is, and a child that finds it held waits for ever in its next dlopen. */
void xs_native_before_fork(void);
void xs_native_after_fork(void);

/* In a forked child. */
void xs_native_forget(void);

#endif
