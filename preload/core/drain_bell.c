/* The number of rings is a futex. A ring makes a system call only while the drain thread sleeps. */
#include "preload/core/drain_bell.h"

#include <stdatomic.h>

#include "preload/core/futex.h"

static _Atomic uint32_t bell, answered, sleeping, chunks_taken;

void xs_drain_wake(void) {
    atomic_fetch_add(&bell, 1);
    if (atomic_load(&sleeping))
        xs_futex_wake(&bell);
}

void xs_drain_chunk_taken(unsigned every) {
    if (atomic_fetch_add_explicit(&chunks_taken, 1, memory_order_relaxed) % every == every - 1)
        xs_drain_wake();
}

uint32_t xs_drain_rings(void) { return atomic_load(&bell); }

bool xs_drain_has_answered(uint32_t rings) { return (int32_t)(atomic_load(&answered) - rings) >= 0; }

void xs_drain_sleep(uint32_t heard, unsigned timeout_ms) {
    atomic_store(&answered, heard);
    atomic_store(&sleeping, 1);
    if (atomic_load(&bell) == heard)
        xs_futex_wait(&bell, heard, timeout_ms);
    atomic_store(&sleeping, 0);
}
