/* Has small functions for numbers: the larger or smaller one of two, a number without its sign, the size class, and
 * comparison functions for qsort. */
#ifndef XFERSPY_ANALYZER_BASE_NUMBERS_H
#define XFERSPY_ANALYZER_BASE_NUMBERS_H

#include <stdint.h>

static inline int64_t xs_later(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t xs_earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static inline uint64_t xs_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Returns the size class: the same number for all sizes from one power of two to just below the next one; 0 for 0. */
static inline unsigned xs_size_class(uint64_t bytes) { return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0; }

static inline uint64_t xs_without_sign(int64_t a) { return a < 0 ? (uint64_t)0 - (uint64_t)a : (uint64_t)a; }

/* These functions return -1, 0 or 1, as a comparison function of qsort does. To compare by one field, and by a second
 * field if the first fields are equal, write `first ?: second`, whose value is `first`, or `second` if `first` is 0. */
static inline int xs_compare(int64_t a, int64_t b) { return (a > b) - (a < b); }
static inline int xs_compare_uint64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* These comparison functions make qsort sort an array of numbers so that the smallest number is the first. */
static inline int xs_ascending_int64(const void *a, const void *b) {
    return xs_compare(*(const int64_t *)a, *(const int64_t *)b);
}
static inline int xs_ascending_uint64(const void *a, const void *b) {
    return xs_compare_uint64(*(const uint64_t *)a, *(const uint64_t *)b);
}

#endif
