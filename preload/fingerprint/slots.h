/* Where the leaf digests of device regions lie in a context's scratch memory. Each region has a slot, which is kept
 * for as long as there is room, so that the next copy into the region can be compared with what was there. This is
 * only the book-keeping; the digests themselves are in device memory. The caller holds the context's lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SLOTS_H
#define XFERSPY_PRELOAD_FINGERPRINT_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/fingerprint/tree_shape.h"

/* The address of the first byte after the region. */
uint64_t xs_region_end(const struct xs_fingerprint_region *region);

struct xs_slot {
    struct xs_fingerprint_region region;
    uint64_t end;    /* xs_region_end */
    uint64_t epoch;  /* while xs_write_epoch is this, the digests are of what the region contains; 0: they are not */
    uint64_t ticket; /* of the last launch that uses the slot; until its result is there, only its stream may use it */
    uint64_t stream;
    uint64_t used;         /* when it was used, for choosing the slot to give up */
    uint32_t first, units; /* its part of the scratch memory */
    bool taken, busy;      /* busy: a job that has not ended yet has it */
};

enum { XS_SLOTS = 1024, XS_SLOT_UNIT_BYTES = 1024, XS_SLOT_UNITS = 8192 };

struct xs_slots {
    struct xs_slot slots[XS_SLOTS];
    uint32_t high;  /* the slot with this number and those after it were never taken */
    uint64_t clock; /* for `used` */
    uint8_t unit_taken[XS_SLOT_UNITS];
};

void xs_slots_reset(struct xs_slots *slots);

/* The slot of a region, or NULL. With `writes`, slots of other regions that overlap this one lose their digests. */
struct xs_slot *xs_slots_find(struct xs_slots *slots, const struct xs_fingerprint_region *region, bool writes);

/* Separates a slot from its region. It stays taken until it is given up, because a kernel of another stream still
 * uses it. */
static inline void xs_slots_forget(struct xs_slot *slot) { slot->end = 0; }

/* Takes a slot of `units` units for a region that has none. To make room, it gives up the slots that were used
 * longest ago and for which `is_idle` holds. NULL: there is no room, or all slots are in use. */
struct xs_slot *xs_slots_take(struct xs_slots *slots, const struct xs_fingerprint_region *region, uint32_t units,
                              bool (*is_idle)(const struct xs_slot *slot, const void *arg), const void *arg);

#endif
