/* Has the factors of Student's t distribution, for the interval around the mean of a few values. */
#ifndef XFERSPY_ANALYZER_BASE_STUDENT_H
#define XFERSPY_ANALYZER_BASE_STUDENT_H

#include <stddef.h>

/* Returns how many standard errors an interval around the mean must reach to each side, so that the true mean is in it
 * with 95 % certainty. `freedom` is the number of values minus 1; 0 counts as 1. For more than 10, the result is an
 * approximation, whose error is less than 0.01. */
static inline double xs_student(size_t freedom) {
    static const double of[] = {12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return freedom < sizeof of / sizeof *of ? of[freedom] : 1.96 + 2.6 / (double)freedom;
}

#endif
