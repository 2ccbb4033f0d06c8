/* Keeps a table of the stacks that were seen so far. For each stack the table stores a number (the first is 1) and a
 * 128-bit hash of the frames, but not the frames themselves. The functions take no lock. They map the table's memory
 * themselves and do not call the application's allocator. */
#ifndef XFERSPY_PRELOAD_CALLSITE_STACK_TABLE_H
#define XFERSPY_PRELOAD_CALLSITE_STACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct xs_stack_key {
    uint64_t low, high;
};

/* Returns the number of a stack; 0: there is no room for another stack. If `*is_new` becomes true, the caller must
 * define the stack in the trace. If `is_new` is NULL, the caller does not define stacks, and the next caller that
 * passes a pointer is told that the stack is new. Any thread, and also signal handlers. */
uint32_t xs_stacks_number(struct xs_stack_key key, bool *is_new);

/* A caller that could not define the stack calls this function. The next call of xs_stacks_number for this stack then
 * reports the stack as new. */
void xs_stacks_undefined(struct xs_stack_key key);

#endif
