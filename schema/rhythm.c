/* Finds equal distances; see rhythm.h. */
#include "schema/rhythm.h"

#include <math.h>

enum { EXCEPTIONS = 20 }; /* one distance in 20 may be longer, for example at a checkpoint or at the end of an epoch */

/* Sorts by Shell's method, because qsort may allocate memory. */
static void sort(uint64_t *values, size_t count) {
    for (size_t gap = count; gap > 1;) {
        gap = gap < 5 ? 1 : gap * 5 / 11;
        for (size_t i = gap; i < count; i++) {
            uint64_t value = values[i];
            size_t k = i;
            for (; k >= gap && values[k - gap] > value; k -= gap)
                values[k] = values[k - gap];
            values[k] = value;
        }
    }
}

uint64_t xs_rhythm_median(uint64_t *values, size_t count) {
    sort(values, count);
    return values[count / 2];
}

static bool differs_clearly(uint64_t ns, uint64_t median) { return ns > median + median / 2 || ns < median / 2; }

/* Returns how many of the first distances are warm-up. Sorts the later half of the distances. */
static size_t warm_up_of(uint64_t *distances, size_t count) {
    size_t half = count / 2, warm_up = 0;
    uint64_t median = xs_rhythm_median(distances + half, count - half);
    while (warm_up < half && differs_clearly(distances[warm_up], median))
        warm_up++;
    return warm_up;
}

/* Returns the spread; infinity if all distances are 0. */
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

bool xs_rhythm_of(const int64_t *moments, size_t count, double largest_spread, uint64_t *room,
                  struct xs_rhythm *rhythm) {
    if (count < XS_RHYTHM_LEAST + 1)
        return false;
    for (size_t i = 0; i + 1 < count; i++) {
        if (moments[i + 1] < moments[i])
            return false;
        room[i] = (uint64_t)moments[i + 1] - (uint64_t)moments[i];
    }
    size_t warm_up = warm_up_of(room, count - 1), rest = count - 1 - warm_up;
    if (rest < XS_RHYTHM_LEAST)
        return false;
    uint64_t sum;
    sort(room + warm_up, rest);
    double spread = spread_of(room + warm_up, rest - rest / EXCEPTIONS, &sum);
    if (!isfinite(spread) || spread > largest_spread)
        return false;
    *rhythm = (struct xs_rhythm){.warm_up = warm_up,
                                 .warm_up_ns = (uint64_t)moments[warm_up] - (uint64_t)moments[0],
                                 .regular_ns = sum,
                                 .spread = spread};
    return true;
}
