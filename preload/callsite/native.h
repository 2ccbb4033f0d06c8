/* Reads the native call stack of the calling thread, that is, the return addresses, beginning at the caller of a
 * wrapper. A walk takes no lock, allocates nothing and makes no system call if the code on the stack is known already,
 * and the stack is the thread's own one, whose bounds an earlier walk has found. A walk loads only words of that stack,
 * because these are certainly mapped. It lets the kernel copy all other words. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/thread.h"

/* The registers of a wrapper's caller as they are when the wrapper returns. */
struct xs_caller {
    uint64_t pc; /* the wrapper's return address */
    uint64_t sp;
    uint64_t fp; /* the frame pointer: rbp or x29 */
};

enum xs_unwinder {
    XS_UNWIND_NONE,
    XS_UNWIND_AUTO, /* uses the unwind tables; in code without tables it follows the frame pointers, if they lead back
                       to code with tables */
    XS_UNWIND_FP, /* follows the chain of frame pointers; on aarch64 AUTO and DWARF do the same, because code there has
                     the chain */
    XS_UNWIND_DWARF, /* uses only the modules' unwind tables (.eh_frame) */
};

struct xs_reads;

/* Writes at most `limit` return addresses, innermost first, beginning with caller->pc, and returns their number.
 * `*is_cut` is true if there may be more. `reads` gets the words that the walk reads from the stack; if it is NULL,
 * they are not noted. Async-signal-safe. Any thread, on any stack. */
unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit,
                        bool *is_cut, struct xs_reads *reads);

/* True if a new walk of this thread would find the same frames as the walk that noted these reads. The new walk must
 * have the same unwinder, limit, pc and sp, and also the same frame pointer if reads->needs_fp is true. The frames are
 * the same if all noted words are unchanged, and no module was loaded or unloaded since the noted walk. The result is
 * also false if the answer is not known. */
bool xs_native_is_as_noted(const struct xs_reads *reads);

/* True if a function has returned or was left by a jump. `return_address_at` is the address on the calling thread's
 * stack where the function's return address was. Unwinds by the tables from the present function. The result is true if
 * the unwind reaches frames beyond this address and has not found the function. The result is also false if the unwind
 * gives no answer. Async-signal-safe. */
bool xs_native_is_gone(uintptr_t return_address_at);

/* Returns the number of the module that contains an address; 0: no module contains it. If the module is new, this
 * function defines it in the trace (xs_define), which may move the event `*e`. Any thread. May take locks. */
uint32_t xs_native_module(uint64_t pc, struct xs_event **e);

/* Counts how often a new module was found at addresses for which the trace already defines another module. After such a
 * change the same return addresses mean another stack, so this count is part of a stack's hash. */
extern _Atomic uint32_t xs_native_replaced;

/* The first function is called before the real dlclose, and the second after it. Between the two calls, the calling
 * thread does not read the loader's list, because a signal handler on this thread could find the list half changed. If
 * a library was unloaded, the second function removes everything that was derived from the code at its addresses. */
void xs_native_unloading(void);
void xs_native_unloaded(void);

/* Runs in a forked child, after xs_loader_forget. The child's trace defines no modules yet. */
void xs_native_forget(void);

#endif
