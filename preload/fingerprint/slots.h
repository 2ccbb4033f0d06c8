/* Keeps track of where the leaf digests of device regions lie in a context's scratch memory. Each region has a slot,
 * kept as long as there is room, so that the next copy into the region can be compared with the content before. The
 * digests themselves are in device memory. The caller holds the context's lock. */
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
    uint64_t epoch;  /* digests match the region's content while xs_write_epoch is this; 0: they do not */
    uint64_t ticket; /* ticket of the slot's last launch; until its result is there, only its stream may use the slot */
    uint64_t stream;
    uint64_t used;         /* time of its last use, for choosing the slot to give up */
    uint32_t first, units; /* its part of the scratch memory */
    bool taken, busy;      /* busy: an unfinished job has the slot */
};

enum { XS_SLOTS = 1024, XS_SLOT_UNIT_BYTES = 1024, XS_SLOT_UNITS = 8192 };

struct xs_slots {
    struct xs_slot slots[XS_SLOTS];
    uint32_t high;  /* this slot and those after it were never taken */
    uint64_t clock; /* clock for `used` */
    uint8_t unit_taken[XS_SLOT_UNITS];
};

void xs_slots_reset(struct xs_slots *slots);

/* Returns the slot of a region, or NULL. With `writes`, slots of other regions that overlap this one lose their
 * digests. */
struct xs_slot *xs_slots_find(struct xs_slots *slots, const struct xs_fingerprint_region *region, bool writes);

/* Separates a slot from its region. The slot stays taken until it is given up, because a kernel of another stream still
 * uses it. */
static inline void xs_slots_forget(struct xs_slot *slot) { slot->end = 0; }

/* Takes a slot of `units` units for a region that has none. Makes room by giving up idle slots (`is_idle`), those
 * unused for longest first. NULL: there is no room, or all slots are in use. */
struct xs_slot *xs_slots_take(struct xs_slots *slots, const struct xs_fingerprint_region *region, uint32_t units,
                              bool (*is_idle)(const struct xs_slot *slot, const void *arg), const void *arg);

#endif
