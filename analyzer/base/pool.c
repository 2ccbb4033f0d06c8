/* Keeps slabs and a free list; see pool.h. */
#include "analyzer/base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { SLAB_BYTES = 65536, HEAD_BYTES = 64 }; /* whole cache lines */

/* The link of the free list follows each item, so the content of a freed item stays readable. */
static void **link_of(const struct xs_pool *pool, void *item) {
    return (void **)(void *)((char *)item + ((pool->item_bytes + 7) & ~(size_t)7));
}

static void *whole_lines(size_t bytes) {
    void *block = aligned_alloc(64, bytes);
    if (!block)
        xs_out_of_memory();
    return block;
}

static void add_slab(struct xs_pool *pool) {
    size_t step = ((pool->item_bytes + 7) & ~(size_t)7) + sizeof(void *);
    size_t items = step * 8 > SLAB_BYTES ? 8 : SLAB_BYTES / step;
    size_t bytes = (HEAD_BYTES + items * step + 63) & ~(size_t)63;
    char *slab = whole_lines(bytes);
    memset(slab, 0, bytes);
    *(void **)(void *)slab = pool->slabs;
    pool->slabs = slab;
    for (size_t i = items; i-- > 0;)
        xs_pool_give(pool, slab + HEAD_BYTES + i * step);
}

void *xs_pool_take(struct xs_pool *pool) {
    if (!pool->free)
        add_slab(pool);
    void *item = pool->free;
    pool->free = *link_of(pool, item);
    return item;
}

void xs_pool_give(struct xs_pool *pool, void *item) {
    *link_of(pool, item) = pool->free;
    pool->free = item;
}

void xs_pool_free(struct xs_pool *pool) {
    while (pool->slabs) {
        void *next = *(void **)pool->slabs;
        free(pool->slabs);
        pool->slabs = next;
    }
    pool->free = NULL;
}
