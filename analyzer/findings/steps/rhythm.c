/* Equal distances; see rhythm.h. */
#include "analyzer/findings/steps/rhythm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { EXCEPTIONS = 20 }; /* one distance in this many may be longer: a checkpoint, the end of an epoch */

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t xs_rhythm_median(uint64_t *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

static bool differs_clearly(uint64_t ns, uint64_t median) { return ns > median + median / 2 || ns < median / 2; }

/* How many of the first distances belong to the warm-up. `later` has room for half of the distances. */
static size_t warm_up_of(const uint64_t *distances, size_t count, uint64_t *later) {
    size_t half = count / 2, warm_up = 0;
    memcpy(later, distances + half, (count - half) * sizeof *later);
    uint64_t median = xs_rhythm_median(later, count - half);
    while (warm_up < half && differs_clearly(distances[warm_up], median))
        warm_up++;
    return warm_up;
}

/* The spread; infinite if all distances are 0. */
static double spread_of(const uint64_t *distances, size_t count, uint64_t *sum) {
    double squares = 0, mean;
    *sum = 0;
    for (size_t i = 0; i < count; i++)
        *sum += distances[i];
    mean = (double)*sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += ((double)distances[i] - mean) * ((double)distances[i] - mean);
    return mean > 0 ? sqrt(squares / (double)count) / mean : INFINITY;
}

bool xs_rhythm_of(const int64_t *moments, size_t count, double largest_spread, struct xs_rhythm *rhythm) {
    if (count < XS_RHYTHM_LEAST + 1)
        return false;
    size_t all = count - 1;
    uint64_t *distances = xs_realloc(NULL, (all + all) * sizeof *distances);
    bool ascends = true;
    for (size_t i = 0; i < all; i++) {
        ascends = ascends && moments[i + 1] >= moments[i];
        distances[i] = (uint64_t)moments[i + 1] - (uint64_t)moments[i];
    }
    bool regular = false;
    if (ascends) {
        size_t warm_up = warm_up_of(distances, all, distances + all), rest = all - warm_up;
        qsort(distances + warm_up, rest, sizeof *distances, ascending);
        uint64_t sum;
        double spread = spread_of(distances + warm_up, rest - rest / EXCEPTIONS, &sum);
        regular = rest >= XS_RHYTHM_LEAST && isfinite(spread) && spread <= largest_spread;
        if (regular)
            *rhythm = (struct xs_rhythm){.warm_up = warm_up,
                                         .warm_up_ns = (uint64_t)moments[warm_up] - (uint64_t)moments[0],
                                         .regular_ns = sum,
                                         .spread = spread};
    }
    free(distances);
    return regular;
}
