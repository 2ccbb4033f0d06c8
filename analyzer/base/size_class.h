/* A size class groups similar sizes. */
#ifndef XFERSPY_ANALYZER_BASE_SIZE_CLASS_H
#define XFERSPY_ANALYZER_BASE_SIZE_CLASS_H

#include <stdint.h>

/* Returns the same number for all sizes from one power of two up to the next; 0 for 0. */
static inline unsigned xs_size_class(uint64_t bytes) { return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0; }

#endif
