/* Medians; see durations.h. */
#include "analyzer/savings/replay/durations.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void xs_durations_add(struct xs_durations *samples, int64_t value) {
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity ? samples->capacity * 2 : 64;
        samples->items = xs_realloc(samples->items, samples->capacity * sizeof *samples->items);
    }
    samples->items[samples->count++] = value;
}

int64_t xs_durations_usual(struct xs_durations *samples, int64_t otherwise) {
    int64_t median = otherwise;
    if (samples->count) {
        qsort(samples->items, samples->count, sizeof *samples->items, by_value);
        median = samples->items[samples->count / 2];
    }
    free(samples->items);
    *samples = (struct xs_durations){0};
    return median;
}
