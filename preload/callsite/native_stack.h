/* Reads memory of a stack without ever causing a fault. */
#ifndef XFERSPY_PRELOAD_CALLSITE_NATIVE_STACK_H
#define XFERSPY_PRELOAD_CALLSITE_NATIVE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/thread_memory.h"

enum { XS_STACK_WINDOW_BYTES = 2048 };

struct xs_stack {
    uint64_t low, span; /* a word at low + i is mapped as long as the thread lives, for i < span */
    uint64_t window, window_bytes;
    const uint64_t *copy;       /* of what lies at window; memory of the thread */
    enum xs_thread_part buffer; /* where that is */
    bool is_window_open;        /* memory elsewhere may be copied by the kernel */
};

/* Prepares for reading the stack that `sp` points into. The first call on a thread reads the kernel's list of
 * mappings. What is copied of other stacks goes into the part `buffer` of the thread's memory, which nobody else may
 * use meanwhile. */
void xs_stack_open(struct xs_stack *stack, uint64_t sp, enum xs_thread_part buffer);

/* The same for another stack that the walk came to. */
void xs_stack_move(struct xs_stack *stack, uint64_t sp);

/* Reads a word outside of the thread's own stack, through the kernel. False: it is not mapped. */
bool xs_stack_copy(struct xs_stack *stack, uint64_t address, uint64_t *value);

/* Loads a word that is certainly mapped. The sanitizers do not look at it: they poison dead parts of the stack, and
 * other threads may be writing to what lies on it. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) static inline uint64_t
xs_stack_load(uint64_t address) {
    typedef uint64_t word __attribute__((may_alias, aligned(1)));
    return *(const word *)address;
}

XS_HOT bool xs_stack_is_own(const struct xs_stack *stack, uint64_t address) {
    return address - stack->low < stack->span;
}

XS_HOT bool xs_stack_read(struct xs_stack *stack, uint64_t address, uint64_t *value) {
    if (XS_LIKELY(xs_stack_is_own(stack, address))) {
        *value = xs_stack_load(address);
        return true;
    }
    uint64_t copied = 0; /* so that `value` may stay in a register */
    bool is_copied = xs_stack_copy(stack, address, &copied);
    *value = copied;
    return is_copied;
}

#endif
