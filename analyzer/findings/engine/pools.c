/* Finds blocks of caching allocators; see pools.h. */
#include "analyzer/findings/engine/pools.h"

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/residency.h"

static const uint64_t block_bytes = 1 << 20; /* the least size; no pool has smaller blocks */
static const uint64_t page_bytes = 2 << 20;  /* page size of a device; pools request multiples of it from the driver */

static bool may_be_block(const struct xs_allocation *a) {
    return a->origin == XS_ORIGIN_ALLOC && a->kind == XS_MEM_DEVICE && a->bytes >= block_bytes;
}

bool xs_is_used_in_parts(const struct xs_allocation *a) {
    const struct xs_region *first = NULL;
    if (!may_be_block(a))
        return false;
    for (const struct xs_region *region = a->regions; region; region = region->next) {
        if (region->bytes > a->bytes / 2)
            continue;
        if (first && first->address != region->address)
            return true;
        first = region;
    }
    return false;
}

static bool is_whole_pages(const struct xs_allocation *a) { return may_be_block(a) && a->bytes % page_bytes == 0; }

void xs_pools_mark(struct xs_allocation **live, size_t count) {
    struct xs_hash contexts = {0};
    for (size_t i = 0; i < count; i++)
        if (live[i]->is_pool && is_whole_pages(live[i]))
            *xs_hash_put(&contexts, (uint64_t)(uint32_t)live[i]->context, (uint64_t)(uint32_t)live[i]->device) = 1;
    for (size_t i = 0; i < count; i++)
        if (is_whole_pages(live[i]) &&
            xs_hash_find(&contexts, (uint64_t)(uint32_t)live[i]->context, (uint64_t)(uint32_t)live[i]->device))
            live[i]->is_pool = true;
    xs_hash_free(&contexts);
}
