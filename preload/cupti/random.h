/* Generates random numbers of low quality. They are good enough to choose recording windows that do not coincide with a
 * period of the program. */
#ifndef XFERSPY_PRELOAD_CUPTI_RANDOM_H
#define XFERSPY_PRELOAD_CUPTI_RANDOM_H

#include <stdint.h>

/* Returns a number below `limit`; 0 if the limit is 0. Uses xorshift64. The caller owns `state`, and initializes it
 * with any number except 0. */
static inline uint64_t xs_random_below(uint64_t *state, uint64_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return limit ? (*state >> 16) % limit : 0;
}

#endif
