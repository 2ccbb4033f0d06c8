/* Finds regions of the residency model by their known content. See residency.h. */
#include "analyzer/findings/engine/residency_change.h"

static void key_of(const struct xs_fingerprint *content, uint64_t bytes, int32_t device, uint64_t key[2]) {
    key[0] = content->low ^ xs_mix(bytes);
    key[1] = content->high + xs_mix((uint64_t)(uint32_t)(device + 2));
}

void xs_region_forget_content(struct xs_hash *holders, struct xs_region *region) {
    if (!region->has_content)
        return;
    region->has_content = false;
    if (region->next_holder)
        region->next_holder->previous_holder = region->previous_holder;
    if (region->previous_holder) {
        region->previous_holder->next_holder = region->next_holder;
        return;
    }
    uint64_t key[2];
    key_of(&region->content, region->content_bytes, region->device, key);
    if (region->next_holder)
        *xs_hash_put(holders, key[0], key[1]) = (uint64_t)(uintptr_t)region->next_holder;
    else
        xs_hash_remove(holders, key[0], key[1]);
}

void xs_region_set_content(struct xs_hash *holders, struct xs_region *region, const struct xs_fingerprint *content,
                           uint64_t bytes) {
    if (region->has_content && content && region->content_bytes == bytes &&
        xs_fingerprint_equal(&region->content, content))
        return;
    xs_region_forget_content(holders, region);
    region->content_bytes = bytes;
    if (!content)
        return;
    uint64_t key[2];
    key_of(content, bytes, region->device, key);
    uint64_t *first = xs_hash_put(holders, key[0], key[1]);
    region->has_content = true;
    region->content = *content;
    region->previous_holder = NULL;
    region->next_holder = (struct xs_region *)(uintptr_t)*first;
    if (region->next_holder)
        region->next_holder->previous_holder = region;
    *first = (uint64_t)(uintptr_t)region;
}

enum xs_region_state xs_region_holding(const struct xs_residency *residency, const struct xs_trace_event *upload,
                                       const struct xs_region **found) {
    const struct xs_transfer_view *t = &upload->u.transfer;
    enum xs_region_state best = XS_REGION_NOTHING;
    unsigned looked_at = 0;
    uint64_t key[2];
    struct xs_region *next;
    key_of(&t->content, t->bytes, upload->device, key);
    for (struct xs_region *region = xs_hash_pointer(residency->holders, key[0], key[1]);
         region && looked_at < XS_REGIONS_LOOKED_AT && best != XS_REGION_SURE; region = next) {
        enum xs_region_state state = xs_region_state(residency, region);
        next = region->next_holder;
        if (state ==
            XS_REGION_NOTHING) { /* an overwritten region is removed from the list, so that it is looked at only once */
            xs_region_forget_content(residency->holders, region);
        } else if (region != t->region) {
            looked_at++;
            if (state > best) {
                best = state;
                *found = region;
            }
        }
    }
    return best;
}
