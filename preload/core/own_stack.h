/* Finds the bounds of the calling thread's own stack. Alternate signal stacks and coroutines' stacks do not belong to
 * it. */
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

/* Called for an address outside the known bounds: reads the kernel's list of mappings to find out whether the address
 * is on the thread's own stack. The list is read more and more rarely, because a thread that runs on coroutines' stacks
 * would otherwise read it at every call. Reading it only once would not be enough, because the main thread's stack
 * grows. */
void xs_own_stack_look(uint64_t sp);

/* True if this address is within the known bounds of the calling thread's own stack. */
XS_HOT bool xs_own_stack_has(uint64_t address) { return address >= xs_own_stack.low && address < xs_own_stack.high; }

/* Reads the bounds again if `sp` is outside the known ones. */
XS_HOT void xs_own_stack_learn(uint64_t sp) {
    if (XS_UNLIKELY(!xs_own_stack_has(sp)))
        xs_own_stack_look(sp);
}

#endif
