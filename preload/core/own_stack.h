/* Bounds of the calling thread's own stack. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_STACK_H
#define XFERSPY_PRELOAD_CORE_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"

struct xs_own_stack {
    uint64_t low, high; /* words in [low, high) stay mapped while the thread lives; both 0: not known */
    uint64_t unknown;   /* number of queries for addresses outside the bounds */
};
extern XS_TLS struct xs_own_stack xs_own_stack;

/* Reads the kernel's list of mappings, when an address outside the known bounds may be on the own stack. The list is
 * read more and more rarely: a thread that lives on coroutines' stacks would otherwise read it at every call. One read
 * is not enough either, because the main thread's stack grows. */
void xs_own_stack_look(uint64_t sp);

/* Is this address on the calling thread's own stack, as far as is known? */
XS_HOT bool xs_own_stack_has(uint64_t address) { return address >= xs_own_stack.low && address < xs_own_stack.high; }

/* Learns the bounds if need be. */
XS_HOT void xs_own_stack_learn(uint64_t sp) {
    if (XS_UNLIKELY(!xs_own_stack_has(sp)))
        xs_own_stack_look(sp);
}

#endif
