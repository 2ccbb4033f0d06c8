/* Random numbers that need not be good: windows of recording must not follow a period of the program's own. */
#ifndef XFERSPY_PRELOAD_CUPTI_RANDOM_H
#define XFERSPY_PRELOAD_CUPTI_RANDOM_H

#include <stdint.h>

/* Less than `limit`; 0 for the limit 0. xorshift64: `state` is any number but 0, and the caller's. */
static inline uint64_t xs_random_below(uint64_t *state, uint64_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return limit ? (*state >> 16) % limit : 0;
}

#endif
