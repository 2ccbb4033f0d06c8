/* Keeps a binary heap in an array; see heap.h. */
#include "analyzer/base/heap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"

static bool before(struct xs_heap_item a, struct xs_heap_item b) {
    return a.ns != b.ns ? a.ns < b.ns : a.order < b.order;
}

void xs_heap_push(struct xs_heap *heap, struct xs_heap_item item) {
    xs_grow(&heap->items, heap->count, &heap->capacity, sizeof *heap->items);
    size_t i = heap->count++;
    for (; i > 0 && before(item, heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = item;
}

uint64_t xs_heap_pop(struct xs_heap *heap) {
    uint64_t first = heap->items[0].value;
    struct xs_heap_item last = heap->items[--heap->count];
    size_t i = 0;
    for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && before(heap->items[child + 1], heap->items[child]))
            child++;
        if (!before(heap->items[child], last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return first;
}

void xs_heap_free(struct xs_heap *heap) {
    free(heap->items);
    *heap = (struct xs_heap){0};
}
