/* xs_grow makes room for one more item in an array that grows by doubling. xs_reach returns the item at an index, and
 * makes the array longer if it ends before this index. */
#ifndef XFERSPY_ANALYZER_BASE_GROW_H
#define XFERSPY_ANALYZER_BASE_GROW_H

#include <string.h>

#include "analyzer/base/memory.h"

/* Grows an array whose first block has room for `first` items. `items` is the address of the array's pointer. The
 * program ends if memory runs out. */
static inline void xs_grow_from(size_t first, void *items, size_t count, size_t *capacity, size_t item_bytes) {
    void *block;
    if (count < *capacity)
        return;
    *capacity = *capacity ? *capacity * 2 : first;
    memcpy(&block, items, sizeof block); /* copies a pointer of any type */
    block = xs_realloc(block, *capacity * item_bytes);
    memcpy(items, &block, sizeof block);
}

static inline void xs_grow(void *items, size_t count, size_t *capacity, size_t item_bytes) {
    xs_grow_from(32, items, count, capacity, item_bytes);
}

/* Returns the item at `index`. If the array has fewer items, zeroed items are added first. */
static inline void *xs_reach(void *items, size_t *count, size_t index, size_t item_bytes) {
    char *block;
    memcpy(&block, items, sizeof block);
    if (index >= *count) {
        block = xs_realloc(block, (index + 1) * item_bytes);
        memset(block + *count * item_bytes, 0, (index + 1 - *count) * item_bytes);
        memcpy(items, &block, sizeof block);
        *count = index + 1;
    }
    return block + index * item_bytes;
}

#endif
