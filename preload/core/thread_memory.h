/* A thread's working memory for its wrappers. It lies neither on the thread's stack nor in its thread-local storage,
 * which glibc takes from the same stack. Each part is mapped at its first use by the thread and unmapped when the
 * thread ends. */
#ifndef XFERSPY_PRELOAD_CORE_THREAD_MEMORY_H
#define XFERSPY_PRELOAD_CORE_THREAD_MEMORY_H

#include <stddef.h>

#include "preload/core/compiler.h"

enum xs_thread_part {
    XS_PART_FRAMES,    /* frames of an unwind (callsite) */
    XS_PART_STACK,     /* copy of a foreign stack (callsite) */
    XS_PART_CHECK,     /* copy of a foreign stack for xs_native_is_gone, which may run during an unwind */
    XS_PART_ARGUMENTS, /* arguments of a launch (capture) */
    XS_PART_CONTENTS,  /* hash tree over a copy's content (fingerprint) */
    XS_PARTS
};

extern XS_TLS struct xs_thread_memory {
    void *memory; /* NULL: not mapped */
    size_t bytes;
} xs_thread_memory[XS_PARTS];

void *xs_thread_memory_map(enum xs_thread_part part, size_t bytes);

/* Returns a part of the calling thread's memory: `bytes` that were zero at first, always the same size for a part. Only
 * between xs_begin and xs_end, so that a signal handler cannot use it at the same time; other users must ensure that
 * themselves. NULL: there is no memory. */
XS_HOT void *xs_thread_memory_of(enum xs_thread_part part, size_t bytes) {
    void *memory = xs_thread_memory[part].memory;
    return XS_LIKELY(memory != NULL) ? memory : xs_thread_memory_map(part, bytes);
}

/* The calling thread ends: unmaps its parts. If it makes another call after that, it gets new memory. */
void xs_thread_memory_end(void);

#endif
