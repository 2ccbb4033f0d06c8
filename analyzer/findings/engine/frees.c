/* Keeps a heap of allocations, ordered by the time of their free; see frees.h. */
#include "analyzer/findings/engine/frees.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"

static bool before(const struct xs_allocation *a, const struct xs_allocation *b) {
    return a->free_enter_ns != b->free_enter_ns ? a->free_enter_ns < b->free_enter_ns : a->id < b->id;
}

void xs_frees_add(struct xs_frees *frees, struct xs_allocation *allocation) {
    if (allocation->free_enter_ns == INT64_MAX)
        return;
    xs_grow(&frees->items, frees->count, &frees->capacity, sizeof *frees->items);
    size_t i = frees->count++;
    for (; i > 0 && before(allocation, frees->items[(i - 1) / 2]); i = (i - 1) / 2)
        frees->items[i] = frees->items[(i - 1) / 2];
    frees->items[i] = allocation;
}

struct xs_allocation *xs_frees_first(const struct xs_frees *frees) {
    return frees->count ? frees->items[0] : NULL;
}

void xs_frees_pop(struct xs_frees *frees) {
    struct xs_allocation *last = frees->items[--frees->count];
    size_t i = 0;
    for (size_t child = 1; child < frees->count; child = 2 * i + 1) {
        if (child + 1 < frees->count && before(frees->items[child + 1], frees->items[child]))
            child++;
        if (!before(frees->items[child], last))
            break;
        frees->items[i] = frees->items[child];
        i = child;
    }
    if (frees->count)
        frees->items[i] = last;
}

void xs_frees_free(struct xs_frees *frees) {
    free(frees->items);
    *frees = (struct xs_frees){0};
}
