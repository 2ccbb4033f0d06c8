/* Has small functions for numbers: the larger or smaller one of two, a number without its sign, the size class, and
 * comparison functions for qsort. */
#ifndef XFERSPY_ANALYZER_BASE_NUMBERS_H
#define XFERSPY_ANALYZER_BASE_NUMBERS_H

#include <stdint.h>

static inline int64_t xs_later(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t xs_earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static inline uint64_t xs_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Returns the size class: the same number for all sizes from one power of two up to the next; 0 for 0. */
static inline unsigned xs_size_class(uint64_t bytes) { return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0; }

static inline uint64_t xs_without_sign(int64_t a) { return a < 0 ? (uint64_t)0 - (uint64_t)a : (uint64_t)a; }

/* These functions return -1, 0 or 1, as a comparison function of qsort does. To compare by a first and then by b, write
 * `a ?: b`, whose value is a, or b if a is 0. */
static inline int xs_compare(int64_t a, int64_t b) { return (a > b) - (a < b); }
static inline int xs_compare_uint64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* These functions sort arrays of numbers, the smallest one first. */
static inline int xs_ascending_int64(const void *a, const void *b) {
    return xs_compare(*(const int64_t *)a, *(const int64_t *)b);
}
static inline int xs_ascending_uint64(const void *a, const void *b) {
    return xs_compare_uint64(*(const uint64_t *)a, *(const uint64_t *)b);
}

#endif
