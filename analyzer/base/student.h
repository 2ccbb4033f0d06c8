/* Student's distribution. */
#ifndef XFERSPY_ANALYZER_BASE_STUDENT_H
#define XFERSPY_ANALYZER_BASE_STUDENT_H

#include <stddef.h>

/* Returns the factor for an interval with 95 % certainty. `freedom`: the number of values minus 1. */
static inline double xs_student(size_t freedom) {
    static const double of[] = {12.71, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return freedom < sizeof of / sizeof *of ? of[freedom] : 1.96 + 2.6 / (double)freedom;
}

#endif
