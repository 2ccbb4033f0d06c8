/* The native call stack of the calling thread: return addresses, from the caller of a wrapper outwards. A walk takes no
 * lock, allocates nothing and makes no system call once the code on the stack is known. It reads memory only where the
 * thread's stack is certainly mapped. */
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
    XS_UNWIND_AUTO, /* unwind tables; in code without tables frame pointers, while they lead back to code with tables */
    XS_UNWIND_FP,   /* chain of frame pointers; on aarch64, where code has it, all three modes do this */
    XS_UNWIND_DWARF, /* unwind tables of the modules, .eh_frame */
};

struct xs_reads;

/* Writes at most `limit` return addresses, innermost first, beginning with caller->pc, and returns their number.
 * `*is_cut`: there may be more. `reads` gets the words that the walk read from the stack; NULL: not wanted.
 * Async-signal-safe; any thread, any stack. */
unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit,
                        bool *is_cut, struct xs_reads *reads);

/* Would a walk of this thread from the same registers, by the same unwinder and with the same limit, find the frames of
 * the walk that noted these reads? True if it would read the same words, and no module came or went. False also where
 * that is not known. The frame pointer may differ unless reads->needs_fp. */
bool xs_native_is_as_noted(const struct xs_reads *reads);

/* Has a function returned, or was it left by a jump? `return_address_at` is the place on the calling thread's own stack
 * where its return address was. True: an unwind by the tables from here outwards passes the place without finding the
 * function. False also where the unwind cannot tell. Async-signal-safe. */
bool xs_native_is_gone(uintptr_t return_address_at);

/* Returns the number of the module that holds an address; 0: no module does. A new module is defined (xs_define), which
 * may move the event `*e`. Any thread; may take locks. */
uint32_t xs_native_module(uint64_t pc, struct xs_event **e);

/* Counts the modules that replaced another defined module at its addresses. From then on the same addresses mean
 * another stack, so this count is part of a stack's hash. */
extern _Atomic uint32_t xs_native_replaced;

/* Called before and after the real dlclose. In between, the calling thread does not look at the loader's list, because
 * a signal handler on this thread could find the list half changed. Afterwards, if a library went, everything derived
 * from code at its addresses is dropped. */
void xs_native_unloading(void);
void xs_native_unloaded(void);

/* Called in a forked child, after xs_loader_forget: its trace knows no module. */
void xs_native_forget(void);

#endif
