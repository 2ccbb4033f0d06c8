/* A number of several runs: its median and range, and whether two programs differ in it by more than their own runs
 * do. */
#ifndef XFERSPY_ANALYZER_BASE_SPREAD_H
#define XFERSPY_ANALYZER_BASE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    XS_RUNS_LIMIT = 32,  /* runs a side */
    XS_RUNS_TO_TELL = 3, /* a side, from which on a test can tell anything at 5 %: 1 of 20 orders */
};

struct xs_metric_value {
    uint64_t value; /* 0 where not known */
    bool known;
};

struct xs_spread {
    uint64_t median, least, most; /* 0 where not known */
    bool known;                   /* of every run */
};

enum xs_certainty {
    XS_NOT_KNOWN,     /* not known on one side */
    XS_TOO_FEW_RUNS,  /* on one side: nobody knows how much runs differ by themselves */
    XS_WITHIN_SPREAD, /* runs of one program differ as much */
    XS_BEYOND_SPREAD, /* they do not */
};
extern const char *const xs_certainty_names[];

struct xs_difference {
    struct xs_spread before, after;
    enum xs_certainty certainty;
    double p; /* of the rank test; negative: there was none */
};

/* At most XS_RUNS_LIMIT values a side, `stride` bytes from one to the next. */
void xs_difference_of(const struct xs_metric_value *before, size_t before_count, const struct xs_metric_value *after,
                      size_t after_count, size_t stride, struct xs_difference *difference);

/* The exact one-sided rank sum test of Mann and Whitney, equal values sharing their ranks: how likely it is that `high`
 * ranks at least so far above `low` if both are of one kind. */
double xs_rank_test(const uint64_t *low, size_t low_count, const uint64_t *high, size_t high_count);

/* By how much `after` is above `before`: the differences that the rank test does not refuse on either side (Hodges and
 * Lehmann), an interval of 90 % or a little more. It leaves out 0 just where the test says that the two differ. False
 * where so few runs have none; then it is the range of the differences of all pairs. At most XS_RUNS_LIMIT values a
 * side; none: both are 0. */
bool xs_shift_interval(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count,
                       int64_t *low, int64_t *high);

/* Median after less median before; what does not fit is the nearest that does. */
int64_t xs_difference_delta(const struct xs_difference *difference);

/* Beyond the spread; where that is not known, at least `floor` and `percent` of the larger. */
bool xs_differs(const struct xs_difference *difference, uint64_t floor, unsigned percent);

#endif
