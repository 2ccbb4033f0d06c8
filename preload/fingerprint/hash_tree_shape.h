/* Defines what host and device must agree on to compute the same fingerprint: sizes, the shape of a region and of its
 * hash tree, and how the length is mixed in. C files and CUDA files include this file; hash_tree.h defines the
 * fingerprint itself. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_HASH_TREE_SHAPE_H
#define XFERSPY_PRELOAD_FINGERPRINT_HASH_TREE_SHAPE_H

#include <stdint.h>

#ifdef __CUDACC__
#define XS_BOTH_SIDES static __host__ __device__ __forceinline__
#else
#define XS_BOTH_SIDES static inline
#endif

#define XS_LEAF_BYTES 4096u
#define XS_DIGEST_BYTES 8u
#define XS_GROUP 512u /* number of digests that a node hashes; this many digests fill a block of XS_LEAF_BYTES */
/* Blocks are padded to a multiple of this number, so that XXH3 always uses its path for long inputs. */
#define XS_PAD_BYTES 256u
#define XS_TREE_LEVELS 4u /* enough for the 2^32 - 1 leaves that a uint32_t counts: 16 TiB */

/* The bytes to hash, in host or device memory. If `width` is 0, they are the `length` bytes from `base` on. Otherwise
 * they are a box: rows of `width` bytes, `height` rows per slice, `pitch` bytes from the start of a row to the next
 * one, and `slice_pitch` bytes from the start of a slice to the next one. `length` is then the number of bytes in all
 * rows. */
struct xs_fingerprint_region {
    uint64_t base, length;
    uint64_t width, height, pitch, slice_pitch;
};

XS_BOTH_SIDES struct xs_fingerprint_region xs_fingerprint_linear(uint64_t base, uint64_t length) {
    struct xs_fingerprint_region region = {base, length, 0, 0, 0, 0};
    return region;
}

/* Makes a box of `depth` slices of `height` rows of `width` bytes, as flat as possible: rows or slices without gaps
 * merge into longer ones, and a box without any gaps becomes linear. */
XS_BOTH_SIDES struct xs_fingerprint_region xs_fingerprint_box(uint64_t base, uint64_t width, uint64_t height,
                                                              uint64_t depth, uint64_t pitch, uint64_t slice_pitch) {
    struct xs_fingerprint_region region = {base, width * height * depth, width, height, pitch, slice_pitch};
    if (region.length == 0)
        return xs_fingerprint_linear(base, 0);
    if (height == 1 || pitch == width) { /* a slice is one row */
        region.width = width * height;
        region.height = depth;
        region.pitch = slice_pitch;
    } else if (depth == 1 || slice_pitch == pitch * height) { /* all rows form one slice */
        region.height = height * depth;
    } else {
        return region;
    }
    region.slice_pitch = 0;
    return region.height == 1 || region.pitch == region.width ? xs_fingerprint_linear(base, region.length) : region;
}

/* Returns the number of leaves of `length` bytes. If `length` is 0, there is one empty leaf. */
XS_BOTH_SIDES uint64_t xs_fingerprint_leaves(uint64_t length) {
    return length == 0 ? 1 : (length - 1) / XS_LEAF_BYTES + 1;
}

/* Returns the number of nodes of the level above a level with `count` nodes. */
XS_BOTH_SIDES uint64_t xs_fingerprint_parents(uint64_t count) { return (count - 1) / XS_GROUP + 1; }

/* Returns the padded length of a block of `bytes` bytes. */
XS_BOTH_SIDES uint32_t xs_fingerprint_padded(uint32_t bytes) {
    return bytes == 0 ? XS_PAD_BYTES : (bytes + XS_PAD_BYTES - 1) / XS_PAD_BYTES * XS_PAD_BYTES;
}

/* The final mix of XXH64: each bit of the result depends on every bit of `x`. */
XS_BOTH_SIDES uint64_t xs_fingerprint_avalanche(uint64_t x) {
    x = (x ^ x >> 33) * 0xC2B2AE3D27D4EB4Full;
    x = (x ^ x >> 29) * 0x165667B19E3779F9ull;
    return x ^ x >> 32;
}

/* Makes the fingerprint from the root digest by mixing the length into both halves. Without the length, zeros at the
 * end of the content would make no difference, because blocks are padded with zeros. */
XS_BOTH_SIDES void xs_fingerprint_mix_length(uint64_t *low, uint64_t *high, uint64_t length) {
    *low ^= xs_fingerprint_avalanche(length * 0x9E3779B97F4A7C15ull + 1);
    *high += xs_fingerprint_avalanche(length ^ 0xC2B2AE3D27D4EB4Full);
}

#endif
