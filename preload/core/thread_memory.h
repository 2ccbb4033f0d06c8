/* Memory of a thread that its wrappers work in, so that it lies neither on the thread's stack nor in its thread-local
 * storage, which glibc takes from the same stack. The part is mapped when the thread first uses it, and unmapped when
 * the thread ends. */
#ifndef XFERSPY_PRELOAD_CORE_THREAD_MEMORY_H
#define XFERSPY_PRELOAD_CORE_THREAD_MEMORY_H

#include <stddef.h>

#include "preload/core/compiler.h"

enum xs_thread_part {
    XS_PART_FRAMES,    /* the frames of a walk (callsite) */
    XS_PART_STACK,     /* what was copied of a foreign stack (callsite) */
    XS_PART_CHECK,     /* the same, for xs_native_is_gone, which may come while a walk is under way */
    XS_PART_ARGUMENTS, /* of a launch (capture) */
    XS_PART_CONTENTS,  /* the tree over a copy's content (fingerprint) */
    XS_PARTS
};

extern XS_TLS struct xs_thread_memory {
    void *memory; /* NULL: not mapped (yet) */
    size_t bytes;
} xs_thread_memory[XS_PARTS];

void *xs_thread_memory_map(enum xs_thread_part part, size_t bytes);

/* The part of the calling thread: `bytes` of memory that were zero at first, always as many for a part. Between
 * xs_begin and xs_end only, so a signal handler cannot use it at the same time; whoever uses one elsewhere sees to that
 * itself. NULL: there is no memory. */
XS_HOT void *xs_thread_memory_of(enum xs_thread_part part, size_t bytes) {
    void *memory = xs_thread_memory[part].memory;
    return XS_LIKELY(memory != NULL) ? memory : xs_thread_memory_map(part, bytes);
}

/* The calling thread ends. If it makes another call after that, it gets new memory. */
void xs_thread_memory_end(void);

#endif
