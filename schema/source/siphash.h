/* SipHash-2-4 with 128 bits of output is a keyed hash that nobody can compute without the key (Aumasson and Bernstein,
 * "SipHash: a fast short-input PRF", 2012; the long output follows their reference code). */
#ifndef XFERSPY_SCHEMA_SOURCE_SIPHASH_H
#define XFERSPY_SCHEMA_SOURCE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { XS_SIPHASH_KEY_BYTES = 16 };

/* Writes the output's first 8 bytes to hash[0] and the others to hash[1], both little-endian. */
void xs_siphash(const uint8_t key[XS_SIPHASH_KEY_BYTES], const void *data, size_t bytes, uint64_t hash[2]);

#endif
