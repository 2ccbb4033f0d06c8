/* Reads the memory of a stack and never causes a fault. */
#ifndef XFERSPY_PRELOAD_CALLSITE_STACK_MEMORY_H
#define XFERSPY_PRELOAD_CALLSITE_STACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/thread_memory.h"

enum { XS_STACK_COPY_BYTES = 2048, XS_READS_MAX = 160 };

/* The words of the thread's own stack that a walk has read, in the order of the reads. */
struct xs_reads {
    bool is_whole;       /* the walk's outcome depends only on these words, the registers and the rules (native.h) */
    bool needs_fp;       /* the walk's outcome depends on the caller's frame pointer */
    bool is_fp_replaced; /* a step of the walk has replaced the frame pointer by a word of the stack */
    unsigned count, generation;
    struct xs_read {
        uint64_t address, value;
    } words[XS_READS_MAX];
};

struct xs_stack {
    uint64_t low, span; /* for each i < span, the word at low + i stays mapped as long as the thread lives */
    uint64_t copied_at, copied_bytes;
    const uint64_t *copy;       /* copy of the memory at `copied_at`, in the thread's memory */
    enum xs_thread_part buffer; /* the part of the thread's memory that holds the copy */
    bool may_copy;              /* false: the kernel has refused to copy memory of other stacks */
    struct xs_reads *reads;     /* gets the words that are read; NULL: they are not noted */
};

/* Prepares for reading the stack that contains `sp`. The words that are read are not noted. The first call on a thread
 * reads the kernel's list of mappings. If memory of other stacks has to be copied, the part `buffer` of the thread's
 * memory holds the copy, so no other code may use this part at the same time. */
void xs_stack_open(struct xs_stack *stack, uint64_t sp, enum xs_thread_part buffer);

/* Prepares for reading the other stack that contains `sp`. This function is called when the walk reaches this stack. */
void xs_stack_move(struct xs_stack *stack, uint64_t sp);

/* Reads a word outside the thread's own stack, through the kernel. False: the word could not be read. */
bool xs_stack_copy(struct xs_stack *stack, uint64_t address, uint64_t *value);

/* Loads a word that is certainly mapped. The sanitizers must not check this load, because they poison dead parts of the
 * stack, and other threads may be writing to objects on the stack. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) static inline uint64_t
xs_stack_load(uint64_t address) {
    typedef uint64_t word __attribute__((may_alias, aligned(1)));
    return *(const word *)address;
}

/* True if all noted words still have the noted values. The words are on the calling thread's own stack. */
XS_HOT bool xs_reads_are_same(const struct xs_reads *reads) {
    uint64_t difference = 0; /* the loop has no branch on a word's value, because nearly all words are unchanged */
    for (unsigned i = 0; i < reads->count; i++)
        difference |= xs_stack_load(reads->words[i].address) ^ reads->words[i].value;
    return difference == 0;
}

XS_HOT void xs_reads_note(struct xs_reads *reads, uint64_t address, uint64_t value) {
    if (reads->count == XS_READS_MAX) {
        reads->is_whole = false;
        return;
    }
    reads->words[reads->count++] = (struct xs_read){address, value};
}

/* Notes whether a step used the frame pointer, and whether the step replaced the frame pointer by a word of the
 * stack. */
XS_HOT void xs_reads_note_fp(struct xs_reads *reads, bool is_used, bool is_replaced) {
    reads->needs_fp |= is_used && !reads->is_fp_replaced;
    reads->is_fp_replaced |= is_replaced;
}

XS_HOT bool xs_stack_is_own(const struct xs_stack *stack, uint64_t address) {
    return address - stack->low < stack->span;
}

XS_HOT bool xs_stack_read(struct xs_stack *stack, uint64_t address, uint64_t *value) {
    if (XS_LIKELY(xs_stack_is_own(stack, address))) {
        *value = xs_stack_load(address);
        if (XS_UNLIKELY(stack->reads != NULL))
            xs_reads_note(stack->reads, address, *value);
        return true;
    }
    uint64_t copied = 0; /* lets the compiler keep `value` in a register */
    bool is_copied = xs_stack_copy(stack, address, &copied);
    *value = copied;
    return is_copied;
}

#endif
