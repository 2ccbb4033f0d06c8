/* The checks of the simulator's self-tests. A failed check prints its source line and ends the test. */
#ifndef XS_SELFTEST_CHECK_H
#define XS_SELFTEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define SAME(expression, expected)                                                                                     \
    do {                                                                                                               \
        long long same_is = (long long)(expression), same_want = (long long)(expected);                                \
        if (same_is != same_want) {                                                                                    \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #expression, same_is, same_want);     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define OK(expression) SAME(expression, 0)

#endif
