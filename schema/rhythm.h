/* Decides whether something happens again and again at equal distances in time. This rule distinguishes the steps of a
 * run from other repetitions (docs/rules/analysis.md, "Steps"). Capture applies it while the program runs, and the
 * analyzer applies it afterwards. The functions allocate no memory and take no lock. */
#ifndef XFERSPY_SCHEMA_RHYTHM_H
#define XFERSPY_SCHEMA_RHYTHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    XS_RHYTHM_LEAST = 5, /* least number of distances after the warm-up; fewer are no rhythm */
    XS_RHYTHM_MANY = 32  /* this many regular distances suffice, even if they do not cover the run so far */
};
/* Largest standard deviations, as fractions of the mean. XS_RHYTHM_SPREAD is for waits and copies.
 * XS_RHYTHM_SPREAD_OF_STEPS is for repetitions that are more certainly steps: NVTX ranges, which somebody has named, or
 * at least XS_RHYTHM_MANY distances. The limit for steps is larger, because steps may process batches of different
 * sizes. */
#define XS_RHYTHM_SPREAD 0.25
#define XS_RHYTHM_SPREAD_OF_STEPS 0.5

struct xs_rhythm {
    size_t warm_up;      /* number of distances at the beginning that differ clearly from the later half's median */
    uint64_t warm_up_ns; /* sum of the warm-up's distances */
    uint64_t regular_ns; /* sum of the distances after the warm-up, without the longest twentieth of them */
    double spread;       /* standard deviation of the distances in regular_ns, as a fraction of their mean */
};

/* Looks for a rhythm in `moments`, which has `count` points in time, in ns. `room` is memory for the count - 1
 * distances between them. False: there is no rhythm, because there are too few moments, the moments do not ascend or
 * are all equal, or the spread is more than `largest_spread`. If the result is false, *rhythm is not changed. */
bool xs_rhythm_of(const int64_t *moments, size_t count, double largest_spread, uint64_t *room,
                  struct xs_rhythm *rhythm);

/* True if something that takes `ns` of a run of `span_ns` is the main work of the program, and not only one part of it.
 */
static inline bool xs_rhythm_covers(uint64_t ns, uint64_t span_ns) { return ns >= span_ns / 2; }

/* Sorts the values and returns the median; for an even `count`, the larger one of the two middle values. `count` is at
 * least 1. */
uint64_t xs_rhythm_median(uint64_t *values, size_t count);

#endif
