/* Computes the content fingerprint on the host. The kernel (hash_tree.cu, kernel.h) computes the same fingerprint of
 * the same bytes.
 *
 * Definition. The region's bytes are cut into leaves of 4096 bytes. (The bytes of a box are those in its rows, row
 * after row, slice after slice.) A block has at most 4096 bytes. A block is hashed in two steps: it is padded with
 * zeros to the next multiple of 256 bytes, at least 256, and then hashed with XXH3 (seed 0, default secret).
 *   Level 0   one digest for each leaf: XXH3_64bits of the leaf's block, 8 bytes, little-endian.
 *   Level n   exists if level n-1 has more than 512 digests. It has one digest for each group of 512 digests:
 *             XXH3_64bits of the group's block.
 *   Root      the block of the last level's digests; if there is only one leaf, the block of that leaf.
 *   Result    XXH3_128bits of the root's block; then low ^= avalanche(length * 0x9E3779B97F4A7C15 + 1) and
 *             high += avalanche(length ^ 0xC2B2AE3D27D4EB4F), where avalanche is the final mix of XXH64.
 * A region of no bytes is one leaf of no bytes.
 *
 * Blocks of 256 bytes and more use only XXH3's path for long inputs, so the kernel implements no other path. A region
 * is constant when it has at least 8 bytes and every byte i equals byte i % 4. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_HASH_TREE_H
#define XFERSPY_PRELOAD_FINGERPRINT_HASH_TREE_H

#include "preload/fingerprint/hash_tree_shape.h"

#include <stdbool.h>
#include <stdint.h>

/* The fingerprint of a region's content, and what else the hash tree shows. */
struct xs_hashed_content {
    uint64_t low, high;
    uint32_t leaves;
    bool constant;
    uint32_t value; /* repeated value as the bytes lie in memory, read little-endian; 0 unless constant */
};

/* Fingerprints `length` readable bytes of host memory, at most 16 TiB - 4 KiB, at any alignment. `leaf_digests`
 * receives the digests of level 0; it is NULL, or has room for xs_fingerprint_leaves(length) digests.
 *
 * Any thread and any signal handler may call this function: it allocates nothing, takes no lock and uses less than 16
 * KiB of stack. It cannot fail. If bytes change during the call, the result may not be the fingerprint of any content
 * that the region ever had, but nothing worse happens. */
void xs_fingerprint_bytes(const void *base, uint64_t length, uint64_t *leaf_digests, struct xs_hashed_content *out);

/* Does the same as xs_fingerprint_bytes for a region of host memory, which may be a box (hash_tree_shape.h). */
void xs_fingerprint_host(const struct xs_fingerprint_region *region, uint64_t *leaf_digests,
                         struct xs_hashed_content *out);

/* Does the same as xs_fingerprint_host with less than 1 KiB of stack. Works in `work`, which is memory of the caller
 * with XS_TREE_WORK_BYTES bytes, at any alignment. */
enum { XS_TREE_WORK_BYTES = 12 * 1024 };
void xs_fingerprint_host_in(void *work, const struct xs_fingerprint_region *region, uint64_t *leaf_digests,
                            struct xs_hashed_content *out);

#endif
