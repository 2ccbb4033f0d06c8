/* Keeps the capturing streams in a table without a lock. A thread takes a free slot by one compare-and-swap, fills it
 * and then stores its key; another compare-and-swap frees the slot. */
#include "preload/driver/stream_captures.h"

#define SLOTS 128u
#define TAKEN UINT64_MAX /* the slot is being filled; no stream has this key */

_Atomic int xs_captures;

static struct {
    _Atomic uint64_t stream;  /* the key; 0: free */
    _Atomic uint64_t context; /* set before the key */
} slots[SLOTS];
static _Atomic int unplaced; /* number of captures for which there was no free slot; their contexts are not known */

/* Combines both numbers. Handles are addresses of less than 48 bits, or small numbers. */
static uint64_t key_of(uint64_t stream, uint32_t thread) { return stream ^ (uint64_t)thread << 48 ^ thread >> 16; }

static bool leave(unsigned i, uint64_t key) {
    if (!atomic_compare_exchange_strong(&slots[i].stream, &key, 0))
        return false;
    atomic_fetch_sub(&xs_captures, 1);
    return true;
}

void xs_captures_begin(uint64_t stream, uint32_t thread, uint64_t context) {
    uint64_t key = key_of(stream, thread);
    atomic_fetch_add(&xs_captures, 1);
    for (unsigned i = 0; i < SLOTS; i++) {
        uint64_t nobody = 0;
        if (atomic_load(&slots[i].stream) == 0 && atomic_compare_exchange_strong(&slots[i].stream, &nobody, TAKEN)) {
            atomic_store(&slots[i].context, context);
            atomic_store(&slots[i].stream, key);
            return;
        }
    }
    atomic_fetch_add(&unplaced, 1);
}

bool xs_captures_end(uint64_t stream, uint32_t thread) {
    uint64_t key = key_of(stream, thread);
    for (unsigned i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].stream) == key && leave(i, key))
            return true;
    int others = atomic_load(&unplaced);
    while (others > 0 && !atomic_compare_exchange_weak(&unplaced, &others, others - 1)) {
    }
    if (others > 0)
        atomic_fetch_sub(&xs_captures, 1);
    return others > 0;
}

void xs_captures_end_with(uint64_t context, bool was_last) {
    for (unsigned i = 0; i < SLOTS && atomic_load(&xs_captures) > 0; i++) {
        uint64_t key = atomic_load(&slots[i].stream);
        if (key && key != TAKEN && atomic_load(&slots[i].context) == context)
            leave(i, key);
    }
    if (was_last)
        atomic_fetch_sub(&xs_captures, atomic_exchange(&unplaced, 0));
}
