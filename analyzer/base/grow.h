/* xs_grow makes room for one more item in an array that grows by doubling. */
#ifndef XFERSPY_ANALYZER_BASE_GROW_H
#define XFERSPY_ANALYZER_BASE_GROW_H

#include <string.h>

#include "analyzer/base/memory.h"

/* Grows an array whose first block has room for `first` items. `items` is the address of the array's pointer. Memory
 * that runs out ends the program. */
static inline void xs_grow_from(size_t first, void *items, size_t count, size_t *capacity, size_t item_bytes) {
    void *block;
    if (count < *capacity)
        return;
    *capacity = *capacity ? *capacity * 2 : first;
    memcpy(&block, items, sizeof block); /* any pointer type */
    block = xs_realloc(block, *capacity * item_bytes);
    memcpy(items, &block, sizeof block);
}

static inline void xs_grow(void *items, size_t count, size_t *capacity, size_t item_bytes) {
    xs_grow_from(32, items, count, capacity, item_bytes);
}

#endif
