/* Sorts arrays that are nearly in order by merging their runs; see sort.h. */
#include "analyzer/base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MOST_RUNS = 64 }; /* with more runs, qsort is as fast */

typedef int compare_function(const void *a, const void *b);

struct items {
    size_t bytes; /* of an item */
    compare_function *compare;
};

/* Finds the ends of the ascending runs. Returns how many there are; 0: more than MOST_RUNS. */
static size_t find_runs(const struct items *of, const char *first, size_t count, size_t ends[MOST_RUNS]) {
    size_t runs = 0;
    for (size_t i = 1; i < count; i++) {
        if (of->compare(first + (i - 1) * of->bytes, first + i * of->bytes) <= 0)
            continue;
        if (runs == MOST_RUNS - 1)
            return 0;
        ends[runs++] = i;
    }
    ends[runs++] = count;
    return runs;
}

/* Merges two runs, of which the left one is copied to `copy`. Of equal items, those of the left run come first. */
static void merge_from_left(const struct items *of, char *first, size_t left, size_t right, char *copy) {
    const char *a = copy, *a_end = copy + left * of->bytes;
    const char *b = first + left * of->bytes, *b_end = b + right * of->bytes;
    memcpy(copy, first, left * of->bytes);
    for (; a < a_end && b < b_end; first += of->bytes) {
        bool takes_a = of->compare(a, b) <= 0;
        memmove(first, takes_a ? a : b, of->bytes);
        *(takes_a ? &a : &b) += of->bytes;
    }
    memcpy(first, a, (size_t)(a_end - a));
}

/* Does the same as merge_from_left, but copies the right run, and merges from the end to the beginning. */
static void merge_from_right(const struct items *of, char *first, size_t left, size_t right, char *copy) {
    const char *a = first + left * of->bytes, *b = copy + right * of->bytes;
    char *to = first + (left + right) * of->bytes;
    memcpy(copy, a, right * of->bytes);
    while (a > first && b > copy) {
        bool takes_a = of->compare(a - of->bytes, b - of->bytes) > 0;
        *(takes_a ? &a : &b) -= of->bytes;
        to -= of->bytes;
        memmove(to, takes_a ? a : b, of->bytes);
    }
    memcpy(first, copy, (size_t)(b - copy));
}

static void merge(const struct items *of, char *first, size_t left, size_t right) {
    size_t fewer = left < right ? left : right;
    char *copy = xs_realloc(NULL, fewer * of->bytes);
    (left < right ? merge_from_left : merge_from_right)(of, first, left, right, copy);
    free(copy);
}

void xs_sort(void *items, size_t count, size_t item_bytes, compare_function *compare) {
    const struct items of = {item_bytes, compare};
    size_t ends[MOST_RUNS], runs = count ? find_runs(&of, items, count, ends) : 1;
    if (!runs)
        qsort(items, count, item_bytes, compare);
    while (runs > 1) { /* merges each run with the next one */
        size_t kept = 0, begin = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t end = i + 1 < runs ? ends[i + 1] : ends[i];
            if (end > ends[i])
                merge(&of, (char *)items + begin * item_bytes, ends[i] - begin, end - ends[i]);
            ends[kept++] = begin = end;
        }
        runs = kept;
    }
}
