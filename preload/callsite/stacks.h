/* The stacks that were seen, by a 128-bit hash of their frames. Each has a number, from 1. Lock-free; the tables are
 * mappings of the library's own, so no allocator of the application is called; no frame is kept. */
#ifndef XFERSPY_PRELOAD_CALLSITE_STACKS_H
#define XFERSPY_PRELOAD_CALLSITE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct xs_stack_key {
    uint64_t low, high;
};

/* The number of a stack; 0: there is no room for another stack. `*is_new`: the caller is the one who has to define
 * it. Any thread, signal handlers too. */
uint32_t xs_stacks_number(struct xs_stack_key key, bool *is_new);

/* The caller could not define the stack after all. The next thread that meets it is told that it is new. */
void xs_stacks_undefined(struct xs_stack_key key);

#endif
