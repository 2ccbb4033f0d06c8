/* A pool holds blocks of one size. A freed block returns to the pool, and the pool keeps all memory until xs_pool_free.
 * A pointer to a freed block may therefore still be read, so its user can notice that the block now belongs to
 * something else. */
#ifndef XFERSPY_ANALYZER_BASE_POOL_H
#define XFERSPY_ANALYZER_BASE_POOL_H

#include <stddef.h>

struct xs_pool { /* zeroed, with item_bytes set: empty */
    size_t item_bytes;
    void *free;  /* linked by a pointer behind each item */
    void *slabs; /* linked through their first pointer */
};

/* Returns a block. A fresh one is zeroed; one that was given back has its old bytes. */
void *xs_pool_take(struct xs_pool *pool);
void xs_pool_give(struct xs_pool *pool, void *item);
void xs_pool_free(struct xs_pool *pool);

#endif
