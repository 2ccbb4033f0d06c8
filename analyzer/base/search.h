/* Searches in sorted arrays, which may be empty. The caller supplies the function that compares. */
#ifndef XFERSPY_ANALYZER_BASE_SEARCH_H
#define XFERSPY_ANALYZER_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyzer/base/numbers.h"
#include "analyzer/base/sort.h"

/* Returns the index of the first item that does not come before `key`; `count` if all come before it. The items that
 * come before the key must precede all others. */
static inline size_t xs_search(const void *items, size_t count, size_t item_bytes,
                               bool (*comes_before)(const void *item, const void *key), const void *key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before((const char *)items + middle * item_bytes, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
