/* Moves the drain thread away from the program's threads, which are those that fill chunks of the spool. */
#include "preload/session/drain_placement.h"

#include "preload/session/placement.h"
#include "schema/clock.h"

#define LOOK_EVERY_NS UINT64_C(500000000)

static _Atomic uint64_t contention_ns;

static unsigned collect(const struct xs_spool *spool, int32_t tids[XS_PLACEMENT_THREADS]) {
    uint32_t chunks = atomic_load(&spool->header->chunk_count);
    unsigned count = 0;
    for (uint32_t i = 0; i < chunks && count < XS_PLACEMENT_THREADS; i++) {
        const struct xs_chunk_header *chunk = &xs_spool_chunk(spool, i)->header;
        if (atomic_load(&chunk->sequence) && atomic_load(&chunk->state) == XS_CHUNK_ACTIVE)
            tids[count++] = chunk->tid;
    }
    return count;
}

void xs_drain_placement(const struct xs_spool *spool) {
    static uint64_t looked_ns, looked_cpu_ns;
    int32_t tids[XS_PLACEMENT_THREADS];
    uint64_t now_ns = xs_monotonic_ns();
    if (now_ns - looked_ns < LOOK_EVERY_NS)
        return;
    looked_ns = now_ns;
    uint64_t cpu_ns = xs_thread_cpu_ns();
    if (xs_placement_look(tids, collect(spool, tids)))
        atomic_fetch_add(&contention_ns, cpu_ns - looked_cpu_ns);
    looked_cpu_ns = cpu_ns;
}

uint64_t xs_drain_contention_ns(void) { return atomic_load(&contention_ns); }
