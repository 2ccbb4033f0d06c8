/* Whether something happens again and again in equal distances: the rule by which steps of a run are told from mere
 * repetition (docs/rules/analysis.md, "Steps"). */
#ifndef XFERSPY_ANALYZER_STEPS_RHYTHM_H
#define XFERSPY_ANALYZER_STEPS_RHYTHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XS_RHYTHM_LEAST = 5 }; /* distances behind the warm-up; fewer are no rhythm */

struct xs_rhythm {
    size_t warm_up;      /* so many of the first distances differ clearly from the median of the later half */
    uint64_t warm_up_ns; /* their sum */
    uint64_t regular_ns; /* sum of the distances behind the warm-up, without the exceptions */
    double spread;       /* standard deviation of these in parts of their mean */
};

/* Judges `count` moments in ns. False: they are no rhythm, because they are too few, do not ascend, are all one
 * moment, or spread by more than `largest_spread`; `rhythm` is then not set. */
bool xs_rhythm_of(const int64_t *moments, size_t count, double largest_spread, struct xs_rhythm *rhythm);

/* The value in the middle, the larger one of two; sorts the values. `count` of 1 and more. */
uint64_t xs_rhythm_median(uint64_t *values, size_t count);

#endif
