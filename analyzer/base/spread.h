/* A spread describes the values of one number in several runs by their median and range. A difference says whether two
 * programs differ by more than the runs of one program do. */
#ifndef XFERSPY_ANALYZER_BASE_SPREAD_H
#define XFERSPY_ANALYZER_BASE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    XS_RUNS_LIMIT = 32,  /* the most runs that a side can have */
    XS_RUNS_TO_TELL = 3, /* the fewest runs on each side with which the test can find a difference: 3 and 3 runs can be
                          * ranked in 20 ways, so the most extreme ranking has p = 5 % */
};

struct xs_metric_value {
    uint64_t value; /* 0 where not known */
    bool known;
};

struct xs_spread {
    uint64_t median, least, most; /* 0 where not known */
    bool known;                   /* known for every run */
};

enum xs_certainty {
    XS_NOT_KNOWN,     /* the number is not known on one side */
    XS_TOO_FEW_RUNS,  /* too few runs on one side to say how much runs vary */
    XS_WITHIN_SPREAD, /* the difference does not exceed the variation of runs */
    XS_BEYOND_SPREAD, /* the difference exceeds the variation of runs */
};
extern const char *const xs_certainty_names[];

struct xs_difference {
    struct xs_spread before, after;
    enum xs_certainty certainty;
    double p; /* result of the rank test; negative: no test */
};

/* Compares two sides of at most XS_RUNS_LIMIT values each. The values lie `stride` bytes apart. */
void xs_difference_of(const struct xs_metric_value *before, size_t before_count, const struct xs_metric_value *after,
                      size_t after_count, size_t stride, struct xs_difference *difference);

/* Runs the exact one-sided rank sum test of Mann and Whitney; equal values share their ranks. Returns the probability
 * that `high` ranks above `low` by at least as much as it does here, if both come from the same distribution. */
double xs_rank_test(const uint64_t *low, size_t low_count, const uint64_t *high, size_t high_count);

/* Computes a confidence interval for the shift from `before` to `after`. The interval contains all shifts that the
 * one-sided rank test rejects in neither direction (Hodges and Lehmann), and it has a confidence of 90 % or slightly
 * more. The interval excludes 0 exactly when the test says that the two differ. False if there are too few runs for
 * such an interval; the result is then the range of all pairwise differences. Each side has at most XS_RUNS_LIMIT
 * values; if a side has no value, both ends are 0. */
bool xs_shift_interval(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count,
                       int64_t *low, int64_t *high);

/* Returns median after minus median before, saturated. */
int64_t xs_difference_delta(const struct xs_difference *difference);

/* True if the difference exceeds the spread. If there are too few runs to know the spread, true if the difference is at
 * least `floor` and at least `percent` percent of the larger median. */
bool xs_differs(const struct xs_difference *difference, uint64_t floor, unsigned percent);

#endif
