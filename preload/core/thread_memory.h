/* A thread's working memory for its wrappers. It lies neither on the thread's stack nor in its thread-local storage,
 * which glibc takes from the same stack. Each part is mapped at its first use by the thread and unmapped when the
 * thread ends. */
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
    XS_PART_BESIDE,    /* what other threads did at calls of this one (callsite) */
    XS_PART_CONTENTS,  /* hash tree over a copy's content (fingerprint) */
    XS_PARTS
};

extern XS_TLS struct xs_thread_memory {
    void *memory; /* NULL: not mapped */
    size_t bytes;
} xs_thread_memory[XS_PARTS];

void *xs_thread_memory_map(enum xs_thread_part part, size_t bytes);

/* Returns a part of the calling thread's memory. It has `bytes` bytes, always the same number for a part, which are
 * zero at its first use. Called only between xs_begin and xs_end, so that a signal handler cannot use the part at the
 * same time; callers elsewhere must ensure this themselves. NULL: there is no memory. */
XS_HOT void *xs_thread_memory_of(enum xs_thread_part part, size_t bytes) {
    void *memory = xs_thread_memory[part].memory;
    return XS_LIKELY(memory != NULL) ? memory : xs_thread_memory_map(part, bytes);
}

/* Called when the calling thread ends: unmaps its parts. If the thread makes another call after that, it gets new
 * memory. */
void xs_thread_memory_end(void);

#endif
