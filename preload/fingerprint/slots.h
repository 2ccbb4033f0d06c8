/* Where the leaf digests of device regions lie in a context's scratch memory: one slot a region, kept for as long as
 * there is room, so that the next copy into the region can be compared with what was there. Only the book-keeping; the
 * digests themselves are in device memory. One lock a context, the caller's. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SLOTS_H
#define XFERSPY_PRELOAD_FINGERPRINT_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/fingerprint/tree_shape.h"

/* First byte after the region. */
uint64_t xs_region_end(const struct xs_fingerprint_region *region);

struct xs_slot {
    struct xs_fingerprint_region region;
    uint64_t end;    /* xs_region_end */
    uint64_t epoch;  /* the digests are of the region's present content as long as xs_write_epoch is this; 0: never */
    uint64_t ticket; /* of the last launch that uses the slot: until its result is there, only its stream may */
    uint64_t stream;
    uint64_t used;         /* when, for choosing the one to give up */
    uint32_t first, units; /* of the scratch memory */
    bool taken, busy;      /* busy: a job between its beginning and its end has it */
};

enum { XS_SLOTS = 1024, XS_SLOT_UNIT_BYTES = 1024, XS_SLOT_UNITS = 8192 };

struct xs_slots {
    struct xs_slot slots[XS_SLOTS];
    uint32_t high;  /* slots at and beyond it were never taken */
    uint64_t clock; /* for `used` */
    uint8_t unit_taken[XS_SLOT_UNITS];
};

void xs_slots_reset(struct xs_slots *slots);

/* The slot of a region, or NULL. Slots of other regions that overlap it have no digests any more, where `writes`. */
struct xs_slot *xs_slots_find(struct xs_slots *slots, const struct xs_fingerprint_region *region, bool writes);

/* The slot is of no region any more, but stays taken until it is given up: another stream's kernel still uses it. */
static inline void xs_slots_forget(struct xs_slot *slot) { slot->end = 0; }

/* A slot for a region that has none, of `units` units. Gives up the ones used longest ago for which `is_idle` holds.
 * NULL: no room, or all are in use. */
struct xs_slot *xs_slots_take(struct xs_slots *slots, const struct xs_fingerprint_region *region, uint32_t units,
                              bool (*is_idle)(const struct xs_slot *slot, const void *arg), const void *arg);

#endif
