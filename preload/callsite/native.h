/* The native stack of the calling thread: return addresses, from the caller of a wrapper outwards. A walk takes no
 * lock, allocates nothing and makes no system call once the code that it passes through is known. It reads memory
 * only where the thread's stack is certainly mapped. */
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
    XS_UNWIND_AUTO,  /* by the tables; code without them by frame pointers, while they lead back to code with tables */
    XS_UNWIND_FP,    /* by the chain of frame pointers; on aarch64, where code has it, all three modes do this */
    XS_UNWIND_DWARF, /* the unwind tables of the modules, .eh_frame */
};

struct xs_reads;

/* Writes at most `limit` return addresses, innermost first, beginning with caller->pc, and returns how many.
 * `*is_cut` says that there may be more. `reads` gets what the walk read of the stack; NULL: not wanted.
 * Async-signal-safe; any thread, any stack. */
unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit,
                        bool *is_cut, struct xs_reads *reads);

/* Would a walk of this thread from the same registers, by the same unwinder and with the same limit, find the frames
 * that it found when it noted these reads? Then it would read the same words, and no module came or went. False also
 * where that is not known. The frame pointer may be another one unless reads->needs_fp. */
bool xs_native_is_as_noted(const struct xs_reads *reads);

/* A place on the calling thread's own stack at which the return address of a function was. True: that function has
 * returned or was left by a jump, because a walk by the unwind tables from here outwards comes past the place and does
 * not find the function. False also where a walk cannot tell. Async-signal-safe. */
bool xs_native_is_gone(uintptr_t return_address_at);

/* The number of the module that holds an address; 0: no module does. A module that is new is defined (xs_define),
 * which may move the event `*e`. Any thread; may take locks. */
uint32_t xs_native_module(uint64_t pc, struct xs_event **e);

/* Counts the modules that came to lie where another module had been that was defined. The same addresses are another
 * stack from then on, so this number is part of a stack's hash. */
extern _Atomic uint32_t xs_native_replaced;

/* Called before and after the real dlclose. In between, the calling thread does not look at the loader's list,
 * because a signal handler on this thread could find that list half changed. Afterwards, if a library went,
 * everything that was derived from the code at its addresses is dropped. */
void xs_native_unloading(void);
void xs_native_unloaded(void);

/* Called around a fork, in the parent, so that no other thread holds the loader's lock for a walk meanwhile. glibc
 * gives the child a copy of that lock as it is, and a child that finds it held would wait for ever in its next
 * dlopen. */
void xs_native_before_fork(void);
void xs_native_after_fork(void);

/* In a forked child: makes locks anew, which a thread that is not there may hold. */
void xs_native_forget(void);

#endif
