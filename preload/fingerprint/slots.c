/* The table is so small that a linear search suffices. Memory is allocated by first fit. */
#include "preload/fingerprint/slots.h"

#include <string.h>

uint64_t xs_region_end(const struct xs_fingerprint_region *r) {
    if (r->width == 0 || r->height == 0)
        return r->base + r->length;
    uint64_t depth = r->length / (r->width * r->height);
    return r->base + (depth ? depth - 1 : 0) * r->slice_pitch + (r->height - 1) * r->pitch + r->width;
}

void xs_slots_reset(struct xs_slots *slots) { memset(slots, 0, sizeof *slots); }

static bool same(const struct xs_fingerprint_region *a, const struct xs_fingerprint_region *b) {
    _Static_assert(sizeof *a == 6 * sizeof a->base, "it has no padding");
    return memcmp(a, b, sizeof *a) == 0;
}

struct xs_slot *xs_slots_find(struct xs_slots *slots, const struct xs_fingerprint_region *region, bool writes) {
    struct xs_slot *found = NULL;
    uint64_t end = xs_region_end(region);
    for (uint32_t i = 0; i < slots->high; i++) {
        struct xs_slot *s = &slots->slots[i];
        if (!s->taken || s->region.base >= end || region->base >= s->end)
            continue;
        if (same(&s->region, region)) {
            found = s;
            s->used = ++slots->clock;
        } else if (writes) {
            s->epoch = 0;
        }
    }
    return found;
}

/* Returns the first unit of the first free run of `wanted` units; XS_SLOT_UNITS: there is none. */
static uint32_t find_run(const struct xs_slots *slots, uint32_t wanted) {
    uint32_t run = 0;
    for (uint32_t u = 0; u < XS_SLOT_UNITS; u++) {
        run = slots->unit_taken[u] ? 0 : run + 1;
        if (run == wanted)
            return u + 1 - wanted;
    }
    return XS_SLOT_UNITS;
}

static struct xs_slot *free_slot(struct xs_slots *slots) {
    for (uint32_t i = 0; i < slots->high; i++)
        if (!slots->slots[i].taken)
            return &slots->slots[i];
    return slots->high < XS_SLOTS ? &slots->slots[slots->high++] : NULL;
}

static bool give_up_oldest(struct xs_slots *slots, bool (*is_idle)(const struct xs_slot *slot, const void *arg),
                           const void *arg) {
    struct xs_slot *oldest = NULL;
    for (uint32_t i = 0; i < slots->high; i++) {
        struct xs_slot *s = &slots->slots[i];
        if (s->taken && (!oldest || s->used < oldest->used) && is_idle(s, arg))
            oldest = s;
    }
    if (oldest) {
        memset(slots->unit_taken + oldest->first, 0, oldest->units);
        oldest->taken = false;
    }
    return oldest != NULL;
}

struct xs_slot *xs_slots_take(struct xs_slots *slots, const struct xs_fingerprint_region *region, uint32_t units,
                              bool (*is_idle)(const struct xs_slot *slot, const void *arg), const void *arg) {
    if (units == 0 || units > XS_SLOT_UNITS)
        return NULL;
    struct xs_slot *slot = NULL;
    uint32_t first;
    while ((first = find_run(slots, units)) == XS_SLOT_UNITS || !(slot = free_slot(slots)))
        if (!give_up_oldest(slots, is_idle, arg))
            return NULL;
    memset(slots->unit_taken + first, 1, units);
    *slot = (struct xs_slot){.region = *region,
                             .end = xs_region_end(region),
                             .used = ++slots->clock,
                             .first = first,
                             .units = units,
                             .taken = true};
    return slot;
}
