/* Blocks of one size, given back to the pool and never to the system before its end: a pointer to one that was given
 * back may be looked at, which is how references to what ended are told from live ones. */
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
