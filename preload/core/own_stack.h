/* Finds the bounds of the calling thread's own stack. Alternate signal stacks and coroutines' stacks are not parts of
 * this stack. */
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

/* Runs if `sp` is outside the known bounds. Reads the kernel's list of mappings to find out whether `sp` is on the
 * thread's own stack. Not every call reads the list: a thread that runs on coroutines' stacks would otherwise read it
 * again and again, so the list is read more and more rarely. Reading the list only once would not be enough, because
 * the main thread's stack grows. */
void xs_own_stack_look(uint64_t sp);

/* True if `address` is within the known bounds of the calling thread's own stack. */
XS_HOT bool xs_own_stack_has(uint64_t address) { return address >= xs_own_stack.low && address < xs_own_stack.high; }

/* Tries to find out the bounds again if `sp` is outside the known bounds. */
XS_HOT void xs_own_stack_learn(uint64_t sp) {
    if (XS_UNLIKELY(!xs_own_stack_has(sp)))
        xs_own_stack_look(sp);
}

#endif
