/* Maps and unmaps the parts of a thread's memory. */
#include "preload/core/thread_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

XS_TLS struct xs_thread_memory xs_thread_memory[XS_PARTS];

void *xs_thread_memory_map(enum xs_thread_part part, size_t bytes) {
    int before = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = before;
    if (memory == MAP_FAILED)
        return NULL;
    xs_thread_memory[part] = (struct xs_thread_memory){memory, bytes};
    return memory;
}

void xs_thread_memory_end(void) {
    for (unsigned i = 0; i < XS_PARTS; i++) {
        void *memory = xs_thread_memory[i].memory;
        xs_thread_memory[i].memory = NULL; /* before munmap: a signal handler may interrupt and make a call */
        atomic_signal_fence(memory_order_seq_cst);
        if (memory)
            munmap(memory, xs_thread_memory[i].bytes);
    }
}
