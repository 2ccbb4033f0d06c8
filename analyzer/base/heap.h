/* A heap returns its items in the order of time. */
#ifndef XFERSPY_ANALYZER_BASE_HEAP_H
#define XFERSPY_ANALYZER_BASE_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct xs_heap_item {
    int64_t ns;
    int64_t order;  /* among items with equal times, the item with the smallest `order` comes first */
    uint64_t value; /* a number or pointer that belongs to the caller */
};

struct xs_heap {                /* zeroed: empty */
    struct xs_heap_item *items; /* items[0] is the first item in order */
    size_t count, capacity;
};

/* Returns the time of the first item; INT64_MAX: the heap is empty. */
static inline int64_t xs_heap_next(const struct xs_heap *heap) { return heap->count ? heap->items[0].ns : INT64_MAX; }

void xs_heap_push(struct xs_heap *heap, struct xs_heap_item item);

/* Removes the first item and returns its value. The heap must not be empty. */
uint64_t xs_heap_pop(struct xs_heap *heap);

void xs_heap_free(struct xs_heap *heap);

#endif
