/* Gives each thread working memory for its wrappers. This memory is neither on the thread's stack nor in thread-local
 * storage, which glibc puts into the memory of the same stack. Each part of the memory is mapped when the thread first
 * uses the part, and is unmapped when the thread ends. */
#ifndef XFERSPY_PRELOAD_CORE_THREAD_MEMORY_H
#define XFERSPY_PRELOAD_CORE_THREAD_MEMORY_H

#include <stddef.h>

#include "preload/core/compiler.h"

enum xs_thread_part {
    XS_PART_FRAMES,    /* frames of an unwind (callsite) */
    XS_PART_STACK,     /* copy of a stack that is not the thread's own (callsite) */
    XS_PART_CHECK,     /* copy of a stack for xs_native_is_gone, which may run during an unwind */
    XS_PART_ARGUMENTS, /* arguments of a launch (capture) */
    XS_PART_PYTHON,    /* copies of another thread's Python frames (callsite) */
    XS_PART_BESIDE,    /* other threads' Python frames, by call sites of this thread (callsite) */
    XS_PART_CONTENTS,  /* hash tree over a copy's content (fingerprint) */
    XS_PARTS
};

extern XS_TLS struct xs_thread_memory {
    void *memory; /* NULL: not mapped */
    size_t bytes;
} xs_thread_memory[XS_PARTS];

void *xs_thread_memory_map(enum xs_thread_part part, size_t bytes);

/* Returns a part of the calling thread's memory. The part has `bytes` bytes, which are zero at its first use. All calls
 * for a part must pass the same `bytes`. A signal handler must not use the part at the same time. Between xs_begin and
 * xs_end this is certain; other callers must ensure it themselves. NULL: there is no memory. */
XS_HOT void *xs_thread_memory_of(enum xs_thread_part part, size_t bytes) {
    void *memory = xs_thread_memory[part].memory;
    return XS_LIKELY(memory != NULL) ? memory : xs_thread_memory_map(part, bytes);
}

/* Runs when the calling thread ends. Unmaps all parts of the thread's memory. If the thread makes a wrapped call
 * later, it gets new memory. */
void xs_thread_memory_end(void);

#endif
