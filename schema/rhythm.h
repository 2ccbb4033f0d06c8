/* Judges whether something happens again and again at equal distances. This rule tells steps of a run from mere
 * repetition (docs/rules/analysis.md, "Steps"). Capture follows it while the program runs, and the analyzer afterwards.
 * The functions take no memory and no lock. */
#ifndef XFERSPY_SCHEMA_RHYTHM_H
#define XFERSPY_SCHEMA_RHYTHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    XS_RHYTHM_LEAST = 5, /* distances behind the warm-up; fewer are no rhythm */
    XS_RHYTHM_MANY = 32  /* while the program runs, this many regular distances need not cover the run */
};
/* Largest standard deviations, in parts of the mean: of a wait or a copy; and of what is a step with more certainty,
 * such as a range, which somebody named, or XS_RHYTHM_MANY distances. Batches of several lengths are steps, too. */
#define XS_RHYTHM_SPREAD 0.25
#define XS_RHYTHM_SPREAD_OF_STEPS 0.5

struct xs_rhythm {
    size_t warm_up;      /* number of first distances that differ clearly from the median of the later half */
    uint64_t warm_up_ns; /* sum of the warm-up's distances */
    uint64_t regular_ns; /* sum of the distances behind the warm-up, without the exceptions */
    double spread;       /* standard deviation of these distances in parts of their mean */
};

/* Judges `count` moments in ns. `room` is used for the distances, one less than there are moments. False: no rhythm,
 * because they are too few, do not ascend, are all one moment, or spread by more than `largest_spread`; `rhythm` is
 * then not set. */
bool xs_rhythm_of(const int64_t *moments, size_t count, double largest_spread, uint64_t *room,
                  struct xs_rhythm *rhythm);

/* Returns whether what covers `ns` of `span_ns` is what the program does, rather than one of the things that it does at
 * some time. */
static inline bool xs_rhythm_covers(uint64_t ns, uint64_t span_ns) { return ns >= span_ns / 2; }

/* Returns the middle value, the larger one of two; sorts the values. `count` is at least 1. */
uint64_t xs_rhythm_median(uint64_t *values, size_t count);

#endif
