/* Computes medians and other quantiles; see durations.h. */
#include "analyzer/savings/replay/durations.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"

void xs_durations_add(struct xs_durations *samples, int64_t value) {
    xs_grow(&samples->items, samples->count, &samples->capacity, sizeof *samples->items);
    samples->items[samples->count++] = value;
}

int64_t xs_durations_below(struct xs_durations *samples, unsigned part, int64_t otherwise) {
    int64_t value = otherwise;
    if (samples->count) {
        qsort(samples->items, samples->count, sizeof *samples->items, xs_ascending_int64);
        value = samples->items[samples->count / part];
    }
    free(samples->items);
    *samples = (struct xs_durations){0};
    return value;
}
