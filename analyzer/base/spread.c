/* Computes medians, ranges and the rank test; see spread.h. */
#include "analyzer/base/spread.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

#define SIGNIFICANT 0.05

const char *const xs_certainty_names[] = {"not-known", "too-few-runs", "within-spread", "beyond-spread"};

/* Sorts the values into `sorted`. Returns their number; 0: one of them is not known. */
static size_t take(const struct xs_metric_value *values, size_t count, size_t stride, uint64_t *sorted,
                   struct xs_spread *spread) {
    *spread = (struct xs_spread){0};
    for (size_t i = 0; i < count; i++) {
        const struct xs_metric_value *value = (const void *)((const char *)values + i * stride);
        if (!value->known)
            return 0;
        sorted[i] = value->value;
    }
    if (!count)
        return 0;
    xs_sort(sorted, count, sizeof *sorted, xs_ascending_uint64);
    uint64_t low = sorted[(count - 1) / 2], high = sorted[count / 2];
    *spread = (struct xs_spread){
        .median = low + (high - low) / 2, .least = sorted[0], .most = sorted[count - 1], .known = true};
    return count;
}

/* Computes twice the ranks, so that shared ranks are whole numbers. Returns the sum over `high`. */
static size_t ranks_of(const uint64_t *low, size_t low_count, const uint64_t *high, size_t high_count, size_t *ranks) {
    size_t total = low_count + high_count, sum = 0;
    for (size_t i = 0; i < total; i++) {
        uint64_t value = i < low_count ? low[i] : high[i - low_count];
        size_t below = 0, equal = 0;
        for (size_t k = 0; k < total; k++) {
            uint64_t other = k < low_count ? low[k] : high[k - low_count];
            below += other < value;
            equal += other == value;
        }
        ranks[i] = 2 * below + equal + 1;
        sum += i < low_count ? 0 : ranks[i];
    }
    return sum;
}

double xs_rank_test(const uint64_t *low, size_t low_count, const uint64_t *high, size_t high_count) {
    enum { MOST = 2 * XS_RUNS_LIMIT, SUMS = MOST * (MOST + 1) + 1 };
    size_t ranks[MOST], total = low_count + high_count;
    if (!low_count || !high_count || total > MOST)
        return 1;
    size_t seen = ranks_of(low, low_count, high, high_count, ranks), largest = total * (total + 1);
    /* ways[n][s] is the number of choices of n runs whose ranks add up to s */
    double(*ways)[SUMS] = xs_zeroed(high_count + 1, sizeof *ways);
    ways[0][0] = 1;
    for (size_t i = 0; i < total; i++)
        for (size_t n = high_count < i + 1 ? high_count : i + 1; n > 0; n--)
            for (size_t s = largest; s >= ranks[i]; s--)
                ways[n][s] += ways[n - 1][s - ranks[i]];
    double all = 0, as_far = 0;
    for (size_t s = 0; s <= largest; s++) {
        all += ways[high_count][s];
        as_far += s >= seen ? ways[high_count][s] : 0;
    }
    free(ways);
    return as_far / all;
}

void xs_difference_of(const struct xs_metric_value *before, size_t before_count, const struct xs_metric_value *after,
                      size_t after_count, size_t stride, struct xs_difference *difference) {
    uint64_t x[XS_RUNS_LIMIT], y[XS_RUNS_LIMIT];
    size_t n = take(before, before_count, stride, x, &difference->before);
    size_t m = take(after, after_count, stride, y, &difference->after);
    difference->p = -1;
    if (!n || !m) {
        difference->certainty = XS_NOT_KNOWN;
    } else if (n < XS_RUNS_TO_TELL || m < XS_RUNS_TO_TELL) {
        difference->certainty = XS_TOO_FEW_RUNS;
    } else if (difference->before.least == difference->after.most &&
               difference->before.most == difference->after.least) { /* all values are equal */
        difference->certainty = XS_WITHIN_SPREAD;
        difference->p = 1;
    } else {
        bool less = difference->after.median < difference->before.median;
        difference->p = less ? xs_rank_test(y, m, x, n) : xs_rank_test(x, n, y, m);
        difference->certainty = difference->p <= SIGNIFICANT ? XS_BEYOND_SPREAD : XS_WITHIN_SPREAD;
    }
}

/* Returns how many of the smallest pairwise differences lie below the interval: the largest number whose probability is
 * at most SIGNIFICANT. -1: even the number 0 has a larger probability. */
static long outside(size_t n, size_t m) {
    size_t most = n * m;
    /* ways[i][u] is the number of orders of i values of one side and j values of the other that have u pairs in the
     * wrong order. The loop increases j. */
    double(*ways)[XS_RUNS_LIMIT * XS_RUNS_LIMIT + 1] = xs_zeroed(n + 1, sizeof *ways), all = 0, below = 0;
    for (size_t i = 0; i <= n; i++)
        ways[i][0] = 1;
    for (size_t j = 1; j <= m; j++)
        for (size_t i = 1; i <= n; i++) /* the largest value is one of the j, or one of the i */
            for (size_t u = most + 1; u-- > 0;)
                ways[i][u] = ways[i][u] + (u >= j ? ways[i - 1][u - j] : 0);
    for (size_t u = 0; u <= most; u++)
        all += ways[n][u];
    long count = -1;
    for (size_t u = 0; u <= most && (below += ways[n][u]) / all <= SIGNIFICANT; u++)
        count = (long)u;
    free(ways);
    return count;
}

static int64_t less(uint64_t a, uint64_t b) {
    uint64_t much = a > b ? a - b : b - a;
    int64_t delta = much > INT64_MAX ? INT64_MAX : (int64_t)much;
    return a > b ? delta : -delta;
}

bool xs_shift_interval(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count,
                       int64_t *low, int64_t *high) {
    size_t count = before_count * after_count, n = 0;
    *low = *high = 0;
    if (!count || before_count > XS_RUNS_LIMIT || after_count > XS_RUNS_LIMIT)
        return false;
    XS_SCOPED int64_t *differences = xs_realloc(NULL, count * sizeof *differences);
    for (size_t i = 0; i < before_count; i++)
        for (size_t k = 0; k < after_count; k++)
            differences[n++] = less(after[k], before[i]);
    xs_sort(differences, count, sizeof *differences, xs_ascending_int64);
    long skip = outside(before_count, after_count);
    size_t first = skip < 0 ? 0 : (size_t)skip;
    *low = differences[first];
    *high = differences[count - 1 - first];
    return skip >= 0;
}

int64_t xs_difference_delta(const struct xs_difference *difference) {
    return less(difference->after.median, difference->before.median);
}

bool xs_differs(const struct xs_difference *difference, uint64_t floor, unsigned percent) {
    uint64_t before = difference->before.median, after = difference->after.median;
    uint64_t larger = before > after ? before : after, much = larger - (before > after ? after : before);
    switch (difference->certainty) {
    case XS_NOT_KNOWN:
    case XS_WITHIN_SPREAD:
        return false;
    case XS_BEYOND_SPREAD:
        return true;
    case XS_TOO_FEW_RUNS:
        break;
    }
    return much && much >= floor && (double)much * 100 >= (double)larger * percent;
}
