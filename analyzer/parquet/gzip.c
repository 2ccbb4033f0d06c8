/* Packs and unpacks by gzip; see gzip.h. */
#include "analyzer/parquet/gzip.h"

#ifdef XFERSPY_HAVE_ZLIB
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "analyzer/base/memory.h"

enum { WINDOW_BITS = 15, GZIP = 16 /* added to the window: the format of gzip instead of zlib's own */ };

bool xs_gzip_is_available(void) { return true; }

bool xs_gzip_pack(const char *bytes, size_t length, struct xs_string *packed) {
    z_stream z = {0};
    if (length > UINT_MAX / 2 || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS + GZIP, MAX_MEM_LEVEL,
                                              Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    char *result = xs_realloc(NULL, length);
    z.next_in = (Bytef *)(uintptr_t)bytes; /* zlib does not write there */
    z.avail_in = (uInt)length;
    z.next_out = (Bytef *)result;
    z.avail_out = (uInt)length;
    bool is_smaller = deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < length;
    if (is_smaller)
        xs_string_add(packed, result, z.total_out);
    deflateEnd(&z);
    free(result);
    return is_smaller;
}

bool xs_gzip_unpack(const void *packed, size_t packed_length, char *bytes, size_t length) {
    z_stream z = {0};
    if (packed_length > UINT_MAX || length > UINT_MAX || inflateInit2(&z, WINDOW_BITS + GZIP) != Z_OK)
        return false;
    z.next_in = (Bytef *)(uintptr_t)packed;
    z.avail_in = (uInt)packed_length;
    z.next_out = (Bytef *)bytes;
    z.avail_out = (uInt)length;
    bool is_whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == length;
    inflateEnd(&z);
    return is_whole;
}

#else
bool xs_gzip_is_available(void) { return false; }

bool xs_gzip_pack(const char *bytes, size_t length, struct xs_string *packed) {
    (void)bytes, (void)length, (void)packed;
    return false;
}

bool xs_gzip_unpack(const void *packed, size_t packed_length, char *bytes, size_t length) {
    (void)packed, (void)packed_length, (void)bytes, (void)length;
    return false;
}
#endif
