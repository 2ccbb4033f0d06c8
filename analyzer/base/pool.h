/* Blocks of one size. A freed block goes back to the pool, and the pool keeps its memory until the pool itself ends. So
 * a pointer to a freed block can still be read, and the reader sees that the block belongs to something else now. */
#ifndef XFERSPY_ANALYZER_BASE_POOL_H
#define XFERSPY_ANALYZER_BASE_POOL_H

#include <stddef.h>

struct xs_pool { /* zeroed, with item_bytes set: empty */
    size_t item_bytes;
    void *free;  /* linked through the last pointer of each item */
    void *slabs; /* linked through their first pointer */
};

/* A block with whatever bytes were in it; a fresh one is zeroed. */
void *xs_pool_take(struct xs_pool *pool);
void xs_pool_give(struct xs_pool *pool, void *item);
void xs_pool_free(struct xs_pool *pool);

#endif
