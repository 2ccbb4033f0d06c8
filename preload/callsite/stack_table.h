/* The table of stacks seen so far, by a 128-bit hash of their frames. Each stack has a number, from 1. Lock-free. The
 * tables are the library's own mappings, so no allocator of the application is called. No frame is kept. */
#ifndef XFERSPY_PRELOAD_CALLSITE_STACK_TABLE_H
#define XFERSPY_PRELOAD_CALLSITE_STACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct xs_stack_key {
    uint64_t low, high;
};

/* Returns the number of a stack; 0: there is no room for another stack. `*is_new`: the caller must define it. Any
 * thread, signal handlers too. */
uint32_t xs_stacks_number(struct xs_stack_key key, bool *is_new);

/* Notes that the caller could not define the stack after all. The next thread that meets it is told that it is new. */
void xs_stacks_undefined(struct xs_stack_key key);

#endif
