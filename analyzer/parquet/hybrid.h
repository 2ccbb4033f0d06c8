/* Parquet's hybrid of run lengths and packed bits, in which definition levels and indexes of dictionaries are written
 * (https://parquet.apache.org/docs/file-format/data-pages/encodings). */
#ifndef XFERSPY_ANALYZER_PARQUET_HYBRID_H
#define XFERSPY_ANALYZER_PARQUET_HYBRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* Returns how many bits numbers up to `most` need. */
unsigned xs_bits_of(uint64_t most);

/* Adds numbers below 2^bits: one run if all are equal, else packed. */
void xs_hybrid_add(struct xs_string *out, const uint32_t *values, size_t count, unsigned bits);

/* Reads `count` numbers of `bits` bits (at most 32). False: the bytes end earlier, or are wrong. */
bool xs_hybrid_read(const uint8_t *bytes, size_t length, unsigned bits, uint32_t *values, size_t count);

#endif
