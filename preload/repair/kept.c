/* Keeps the table of lent and idle blocks. A search among idle blocks may compare all of them. There are few, and the
 * driver's work that this saves takes a thousand times as long. */
#include "preload/repair/kept.h"

#include <string.h>

static unsigned slot_of(uint64_t address) {
    return (unsigned)((address >> 9) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % XS_KEPT_LENT; /* 512: least alignment */
}

static unsigned next_slot(unsigned slot) { return (slot + 1) % XS_KEPT_LENT; }

/* Returns the block's hash slot, or the free slot for it. There is always a free slot. */
static unsigned find_lent(const struct xs_kept *kept, uint64_t address) {
    unsigned slot = slot_of(address);
    while (kept->lent[slot].address && kept->lent[slot].address != address)
        slot = next_slot(slot);
    return slot;
}

/* Removes the block in the slot `gap`, and moves later blocks into the gap that a search could not find otherwise. */
static void remove_lent(struct xs_kept *kept, unsigned gap) {
    for (unsigned slot = next_slot(gap); kept->lent[slot].address; slot = next_slot(slot)) {
        unsigned home = slot_of(kept->lent[slot].address);
        if ((slot - home) % XS_KEPT_LENT >= (slot - gap) % XS_KEPT_LENT) {
            kept->lent[gap] = kept->lent[slot];
            gap = slot;
        }
    }
    kept->lent[gap].address = 0;
    kept->lent_count--;
}

static void remove_idle(struct xs_kept *kept, unsigned i) {
    kept->idle_bytes -= kept->idle[i].bytes;
    kept->idle_count--;
    memmove(&kept->idle[i], &kept->idle[i + 1], (kept->idle_count - i) * sizeof kept->idle[0]);
}

bool xs_kept_lend(struct xs_kept *kept, const struct xs_kept_block *block) {
    xs_lock(&kept->lock);
    unsigned slot = find_lent(kept, block->address);
    bool is_new = kept->lent[slot].address == 0;
    bool fits = !is_new || kept->lent_count < XS_KEPT_LENT / 4 * 3;
    if (fits) {
        kept->lent[slot] = *block;
        kept->lent_count += is_new;
    }
    xs_unlock(&kept->lock);
    return fits;
}

bool xs_kept_end(struct xs_kept *kept, uint64_t address, struct xs_kept_block *out) {
    xs_lock(&kept->lock);
    unsigned slot = find_lent(kept, address);
    bool is_lent = address && kept->lent[slot].address == address;
    if (is_lent) {
        *out = kept->lent[slot];
        remove_lent(kept, slot);
    }
    xs_unlock(&kept->lock);
    return is_lent;
}

void xs_kept_hand_out(struct xs_kept *kept, uint64_t address) {
    xs_lock(&kept->lock);
    unsigned slot = find_lent(kept, address);
    if (address && kept->lent[slot].address == address)
        kept->lent[slot].is_handed_out = true;
    xs_unlock(&kept->lock);
}

bool xs_kept_put(struct xs_kept *kept, const struct xs_kept_block *block, size_t budget) {
    xs_lock(&kept->lock);
    bool fits =
        kept->idle_count < XS_KEPT_IDLE && kept->idle_bytes <= budget && block->bytes <= budget - kept->idle_bytes;
    if (fits) {
        kept->idle[kept->idle_count++] = *block;
        kept->idle_bytes += block->bytes;
    }
    xs_unlock(&kept->lock);
    return fits;
}

static bool is_equal(const struct xs_kept_key *a, const struct xs_kept_key *b) {
    return a->context == b->context && a->width == b->width && a->height == b->height && a->how == b->how;
}

/* Takes a block with this key (NULL: any key), of this context (0: any) and on this device (-1: any). */
static bool take(struct xs_kept *kept, const struct xs_kept_key *key, uint64_t context, int device,
                 struct xs_kept_block *out) {
    bool found = false;
    xs_lock(&kept->lock);
    for (unsigned i = 0; !found && i < kept->idle_count; i++) {
        const struct xs_kept_block *block = &kept->idle[i];
        found = key ? is_equal(&block->key, key)
                    : (!context || block->key.context == context) && (device < 0 || block->device == device);
        if (found) {
            *out = kept->idle[i];
            remove_idle(kept, i);
        }
    }
    xs_unlock(&kept->lock);
    return found;
}

bool xs_kept_take(struct xs_kept *kept, const struct xs_kept_key *key, struct xs_kept_block *out) {
    return take(kept, key, 0, -1, out);
}

bool xs_kept_take_any(struct xs_kept *kept, uint64_t context, int device, struct xs_kept_block *out) {
    return take(kept, NULL, context, device, out);
}

bool xs_kept_is_idle(struct xs_kept *kept, uint64_t address) {
    bool found = false;
    xs_lock(&kept->lock);
    for (unsigned i = 0; !found && i < kept->idle_count; i++)
        found = kept->idle[i].address == address;
    xs_unlock(&kept->lock);
    return found;
}

size_t xs_kept_idle_bytes(struct xs_kept *kept, int device) {
    size_t bytes = 0;
    xs_lock(&kept->lock);
    for (unsigned i = 0; i < kept->idle_count; i++)
        bytes += kept->idle[i].device == device ? kept->idle[i].bytes : 0;
    xs_unlock(&kept->lock);
    return bytes;
}

/* Visits the slots from the last to the first: a block that a removal moves to a lower slot may be visited twice, but
 * is not missed. */
bool xs_kept_look(struct xs_kept *kept, unsigned *rest, struct xs_kept_block *out) {
    bool found = false;
    xs_lock(&kept->lock);
    while (!found && *rest > 0) {
        unsigned slot = --*rest;
        bool is_idle = slot >= XS_KEPT_LENT;
        const struct xs_kept_block *block = is_idle ? &kept->idle[slot - XS_KEPT_LENT] : &kept->lent[slot];
        found = is_idle ? slot - XS_KEPT_LENT < kept->idle_count : block->address != 0;
        if (found)
            *out = *block;
    }
    xs_unlock(&kept->lock);
    return found;
}

bool xs_kept_strip(struct xs_kept *kept, unsigned *rest, int device, struct xs_kept_block *out) {
    bool found = false;
    xs_lock(&kept->lock);
    *rest = *rest < XS_KEPT_LENT ? *rest : XS_KEPT_LENT;
    while (!found && *rest > 0) {
        struct xs_kept_block *block = &kept->lent[--*rest];
        bool has_some = block->address && (block->token || block->anchor);
        found = has_some && (device < 0 || block->device == device);
        if (found) {
            *out = *block;
            block->token = block->anchor = 0;
        }
    }
    xs_unlock(&kept->lock);
    return found;
}

void xs_kept_drop(struct xs_kept *kept, const struct xs_kept_block *block) {
    xs_lock(&kept->lock);
    unsigned slot = find_lent(kept, block->address);
    if (kept->lent[slot].address == block->address && kept->lent[slot].id == block->id)
        remove_lent(kept, slot);
    for (unsigned i = 0; i < kept->idle_count; i++) {
        if (kept->idle[i].address == block->address && kept->idle[i].id == block->id) {
            remove_idle(kept, i);
            break;
        }
    }
    xs_unlock(&kept->lock);
}
