/* Manages a context's scratch memory, which contains the leaf digests of device regions. Each region has a slot, which
 * is kept as long as there is room, so that the content of the next copy into the region can be compared with the
 * content before. The digests themselves are in device memory. The caller holds the lock of the context's
 * fingerprinter. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SLOTS_H
#define XFERSPY_PRELOAD_FINGERPRINT_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/fingerprint/hash_tree_shape.h"

/* Returns the address of the first byte after the region. */
uint64_t xs_region_end(const struct xs_fingerprint_region *region);

struct xs_slot {
    struct xs_fingerprint_region region;
    uint64_t end;    /* xs_region_end */
    uint64_t epoch;  /* the digests are valid while xs_write_epoch has this value; 0: they are not valid */
    uint64_t ticket; /* ticket of the last launch; until its result arrives, only `stream` may use the slot */
    uint64_t stream;
    uint64_t used;         /* value of `clock` at the last use; the slot with the lowest value is freed first */
    uint32_t first, units; /* the slot has `units` units of the scratch memory, from unit `first` on */
    bool taken, busy;      /* busy: a job that is not finished uses the slot */
};

enum { XS_SLOTS = 1024, XS_SLOT_UNIT_BYTES = 1024, XS_SLOT_UNITS = 8192 };

struct xs_slots {
    struct xs_slot slots[XS_SLOTS];
    uint32_t high;  /* slots with this index or a higher one were never taken */
    uint64_t clock; /* number of uses of slots so far, from which `used` is set */
    uint8_t unit_taken[XS_SLOT_UNITS];
};

void xs_slots_reset(struct xs_slots *slots);

/* Returns the slot of a region; NULL: the region has none. `writes`: the region will be written, so the digests of all
 * other regions that overlap it become invalid. */
struct xs_slot *xs_slots_find(struct xs_slots *slots, const struct xs_fingerprint_region *region, bool writes);

/* Separates a slot from its region. The slot remains taken, because a kernel of another stream still uses it; it can be
 * freed later by xs_slots_take. */
static inline void xs_slots_forget(struct xs_slot *slot) { slot->end = 0; }

/* Takes a slot of `units` units for a region that has none. To make room, frees slots that are idle (`is_idle`),
 * beginning with the one whose last use is oldest. NULL: there is no room, or all slots are in use. */
struct xs_slot *xs_slots_take(struct xs_slots *slots, const struct xs_fingerprint_region *region, uint32_t units,
                              bool (*is_idle)(const struct xs_slot *slot, const void *arg), const void *arg);

#endif
