/* The table of the stacks that were seen so far. For each stack it stores a number (the first is 1) and a 128-bit hash
 * of the frames, but not the frames themselves. Lock-free. The table maps its memory itself, so the application's
 * allocator is not called. */
#ifndef XFERSPY_PRELOAD_CALLSITE_STACK_TABLE_H
#define XFERSPY_PRELOAD_CALLSITE_STACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct xs_stack_key {
    uint64_t low, high;
};

/* Returns the number of a stack; 0: there is no room for another stack. `*is_new`: the caller must define the stack in
 * the trace. NULL: the caller does not define stacks, so the next caller that does is told so. Any thread, signal
 * handlers too. */
uint32_t xs_stacks_number(struct xs_stack_key key, bool *is_new);

/* Called if the caller could not define the stack. The next thread that asks for the stack's number is told that the
 * stack is new. */
void xs_stacks_undefined(struct xs_stack_key key);

#endif
