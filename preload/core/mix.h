/* Defines the hash function of the library's own tables. It adds one word to a hash. It is on the hot path. */
#ifndef XFERSPY_PRELOAD_CORE_MIX_H
#define XFERSPY_PRELOAD_CORE_MIX_H

#include <stdint.h>

static inline uint64_t xs_mix_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

#endif
