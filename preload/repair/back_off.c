/* Each entry is one word. It has a part of the destination's hash, the number of differences in a row at this
 * destination, and the number of copies that are not compared until the next comparison. */
#include "preload/repair/back_off.h"

#define COUNT_BITS 8
#define COUNT_MASK UINT64_C(0xff)
#define SLOT_MASK (~UINT64_C(0) << 2 * COUNT_BITS)

static uint64_t hash(uint64_t address, uint64_t bytes) {
    uint64_t h = (address ^ bytes * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static _Atomic uint64_t *entry_of(struct xs_back_off *all, uint64_t slot) {
    return &all->slots[slot % XS_BACK_OFF_SLOTS];
}

bool xs_back_off_is_due(struct xs_back_off *all, uint64_t address, uint64_t bytes) {
    uint64_t slot = hash(address, bytes);
    _Atomic uint64_t *at = entry_of(all, slot);
    uint64_t entry = atomic_load_explicit(at, memory_order_relaxed);
    if (((entry ^ slot) & SLOT_MASK) || (entry & COUNT_MASK) == 0)
        return true;
    atomic_store_explicit(at, entry - 1, memory_order_relaxed);
    return false;
}

void xs_back_off_found(struct xs_back_off *all, uint64_t address, uint64_t bytes, bool differ) {
    uint64_t slot = hash(address, bytes);
    _Atomic uint64_t *at = entry_of(all, slot);
    uint64_t entry = atomic_load_explicit(at, memory_order_relaxed);
    uint64_t differences = (entry ^ slot) & SLOT_MASK ? 0 : entry >> COUNT_BITS & COUNT_MASK;
    uint64_t every = 1;
    differences = differ ? differences + (differences < COUNT_MASK) : 0;
    for (uint64_t n = XS_BACK_OFF_DIFFERENCES; n <= differences && every < XS_BACK_OFF_MOST; n++)
        every *= 2;
    atomic_store_explicit(at, (slot & SLOT_MASK) | differences << COUNT_BITS | (every - 1), memory_order_relaxed);
}
