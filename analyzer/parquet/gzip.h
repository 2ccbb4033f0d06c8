/* Packs pages by gzip, with zlib, if this build has it. */
#ifndef XFERSPY_ANALYZER_PARQUET_GZIP_H
#define XFERSPY_ANALYZER_PARQUET_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/text.h"

/* True if this build can pack and unpack. */
bool xs_gzip_is_available(void);

/* Packs bytes into `packed`, which must be empty. False: this is not possible, or the result would not be smaller. */
bool xs_gzip_pack(const char *bytes, size_t length, struct xs_string *packed);

/* Unpacks bytes whose unpacked length is known. False: they have another length, or are damaged. */
bool xs_gzip_unpack(const void *packed, size_t packed_length, char *bytes, size_t length);

#endif
