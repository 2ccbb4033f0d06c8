/* Stacks that were seen, by a 128-bit hash of their frames: a number each, from 1. Lock-free; memory of its own, which an
 * application's allocator does not know; no frame is kept. */
#ifndef XFERSPY_PRELOAD_CALLSITE_STACKS_H
#define XFERSPY_PRELOAD_CALLSITE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct xs_stack_key {
    uint64_t low, high;
};

/* The number of a stack, `*is_new` where the caller is the one who has to define it. 0: there is no room for another one. Any
 * thread, signal handlers too. */
uint32_t xs_stacks_number(struct xs_stack_key key, bool *is_new);

/* A stack that could not be defined after all: whoever meets it next is told that it is new. */
void xs_stacks_undefined(struct xs_stack_key key);

#endif
