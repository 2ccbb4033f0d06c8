/* A pool holds blocks of one size. A freed block returns to the pool, and the pool keeps all memory until xs_pool_free.
 * A freed block may therefore still be read, so code that has a pointer to it can notice that the block now belongs to
 * something else. */
#ifndef XFERSPY_ANALYZER_BASE_POOL_H
#define XFERSPY_ANALYZER_BASE_POOL_H

#include <stddef.h>

struct xs_pool { /* zeroed, with item_bytes set: empty */
    size_t item_bytes;
    void *free;  /* list of the free blocks, linked by a pointer after each item */
    void *slabs; /* list of all memory, linked through the first pointer of each slab */
};

/* Returns a block. A block that was never used is zeroed; a block that was returned to the pool has its old bytes. */
void *xs_pool_take(struct xs_pool *pool);
void xs_pool_give(struct xs_pool *pool, void *item);
void xs_pool_free(struct xs_pool *pool);

#endif
