/* Reads the native call stack of the calling thread, that is, the return addresses, beginning at the caller of a
 * wrapper. If the code on the stack is known already, a walk takes no lock, allocates nothing and makes no system call.
 * It reads memory directly only where the thread's stack is certainly mapped. */
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
    XS_UNWIND_AUTO, /* unwind tables; in code without tables, frame pointers, as long as they lead back to code with
                       tables */
    XS_UNWIND_FP, /* chain of frame pointers; on aarch64 AUTO and DWARF also follow it, because code there has the chain
                   */
    XS_UNWIND_DWARF, /* unwind tables of the modules, .eh_frame */
};

struct xs_reads;

/* Writes at most `limit` return addresses, innermost first, beginning with caller->pc, and returns their number.
 * `*is_cut`: there may be more. `reads` gets the words that the walk reads from the stack; NULL: they are not noted.
 * Async-signal-safe; any thread, any stack. */
unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit,
                        bool *is_cut, struct xs_reads *reads);

/* True if a new walk of this thread, with the same registers, unwinder and limit, would find the same frames as the
 * walk that noted these reads. The frames are the same if all noted words are unchanged, and no module was loaded or
 * unloaded since the noted walk. False also if the answer is not known. The frame pointer may have changed unless
 * reads->needs_fp is true. */
bool xs_native_is_as_noted(const struct xs_reads *reads);

/* True if a function has returned or was left by a jump. `return_address_at` is the address on the calling thread's
 * stack where the function's return address was. Unwinds by the tables from the present function. The result is true if
 * the unwind reaches frames beyond this address without finding the function. False also if the unwind gives no answer.
 * Async-signal-safe. */
bool xs_native_is_gone(uintptr_t return_address_at);

/* Returns the number of the module that contains an address; 0: no module does. If the module is new, it is defined in
 * the trace (xs_define), which may move the event `*e`. Any thread; may take locks. */
uint32_t xs_native_module(uint64_t pc, struct xs_event **e);

/* Counts how often a new module was found at addresses for which the trace already defines another module. After such a
 * change the same return addresses mean another stack, so this count is part of a stack's hash. */
extern _Atomic uint32_t xs_native_replaced;

/* Called before and after the real dlclose. Between the two calls, the calling thread does not read the loader's list,
 * because a signal handler on this thread could find the list half changed. If a library was unloaded, the second
 * function removes everything that was derived from the code at its addresses. */
void xs_native_unloading(void);
void xs_native_unloaded(void);

/* Called in a forked child, after xs_loader_forget. The child's trace defines no modules yet. */
void xs_native_forget(void);

#endif
