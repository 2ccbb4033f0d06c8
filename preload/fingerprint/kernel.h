/* Defines what the code that launches the fingerprint kernel needs: the kernel's code, its one parameter, the layout of
 * the device memory that it works in, and the shape of a launch. The kernel computes on the device what hash_tree.h
 * defines. One launch is enough for a region of any size. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_KERNEL_H
#define XFERSPY_PRELOAD_FINGERPRINT_KERNEL_H

#include "preload/core/own_kernel.h"
#include "preload/fingerprint/hash_tree_shape.h"
#include "preload/fingerprint/result.h"

#define XS_FINGERPRINT_WARPS 8u                             /* warps of a block; each warp hashes one leaf at a time */
#define XS_FINGERPRINT_THREADS (XS_FINGERPRINT_WARPS * 32u) /* blockDim.x must have this value */
#define XS_FINGERPRINT_MAX_BLOCKS 8192u                     /* limit of gridDim.x; each warp may hash several leaves */

/* The flags in `mode` of struct xs_fingerprint_parameters. If `mode` is 0, the launch compares nothing, and writes the
 * result. */
#define XS_FINGERPRINT_COMPARE 1u      /* compare with the slot's leaves and root, of a region of the same length */
#define XS_FINGERPRINT_MEASURE_ONLY 2u /* store leaves and root in the slot, and write no result */

/* The kernel's one parameter, passed by value: kernelParams = {&parameters}. All addresses are the device's.
 *   region    the region to hash, at any alignment; the kernel is fastest if the base, and the width and the pitches of
 *             a box, are multiples of 16 bytes
 *   root      16 bytes, aligned to 16: low and high of the last launch; this launch overwrites them
 *   tickets   8 bytes per node; all zero when the kernel starts, and again when it ends. If this memory was used for
 *             something else in between (a slot for another capacity), it must be zeroed again; otherwise no launch
 *             finishes a node
 *   nodes     digests of the levels above the leaves, aligned to 16
 *   leaves    digests of the leaves, aligned to 16: those of the last launch; this launch overwrites them
 *   result    the struct xs_fingerprint_result that the launch writes, aligned to 16; not written with
 *             XS_FINGERPRINT_MEASURE_ONLY
 * Launches that share root, tickets, nodes or leaves must not overlap: they must be in the same stream, or ordered by
 * events. */
struct xs_fingerprint_parameters {
    struct xs_fingerprint_region region;
    uint64_t root, tickets, nodes, leaves;
    uint64_t result, sequence;
    uint32_t mode, reserved;
};

/* A slot has root, tickets, nodes and leaves in one piece of device memory, aligned to 256 bytes, for regions of up to
 * `capacity` bytes. Its layout must always be computed from the capacity for which it was made, even if the region is
 * shorter. Its first `zero_bytes` bytes must be zeroed once, before the first launch. */
struct xs_fingerprint_slot {
    uint64_t root_at, tickets_at, nodes_at, leaves_at; /* offsets from the slot's start */
    uint64_t bytes, zero_bytes;
};

XS_BOTH_SIDES struct xs_fingerprint_slot xs_fingerprint_slot_of(uint64_t capacity) {
    struct xs_fingerprint_slot slot = {0, 64, 0, 0, 0, 0};
    uint64_t leaves = xs_fingerprint_leaves(capacity), tickets = 1, nodes = 0;
    for (uint64_t count = leaves; count > XS_GROUP;) {
        count = xs_fingerprint_parents(count);
        tickets += count;
        nodes += count + 1; /* each level starts at a multiple of 16 bytes */
    }
    slot.zero_bytes = slot.tickets_at + tickets * 8;
    slot.nodes_at = (slot.zero_bytes + 63) / 64 * 64;
    slot.leaves_at = (slot.nodes_at + nodes * XS_DIGEST_BYTES + 63) / 64 * 64;
    slot.bytes = (slot.leaves_at + leaves * XS_DIGEST_BYTES + 255) / 256 * 256;
    return slot;
}

/* Sets the parameters' addresses to those of a slot that begins at `address`. */
XS_BOTH_SIDES void xs_fingerprint_use_slot(struct xs_fingerprint_parameters *parameters,
                                           const struct xs_fingerprint_slot *slot, uint64_t address) {
    parameters->root = address + slot->root_at;
    parameters->tickets = address + slot->tickets_at;
    parameters->nodes = address + slot->nodes_at;
    parameters->leaves = address + slot->leaves_at;
}

/* Returns gridDim.x for a launch over `length` bytes; y and z are 1, and there is no dynamic shared memory. */
XS_BOTH_SIDES uint32_t xs_fingerprint_blocks(uint64_t length) {
    uint64_t blocks = (xs_fingerprint_leaves(length) - 1) / XS_FINGERPRINT_WARPS + 1;
    return blocks < XS_FINGERPRINT_MAX_BLOCKS ? (uint32_t)blocks : XS_FINGERPRINT_MAX_BLOCKS;
}

#ifndef __CUDACC__
#include <stddef.h>

/* The kernel in two forms for cuModuleLoadData: machine code for recent GPUs, which an older driver may refuse, and
 * zero-terminated PTX text for all other GPUs. Both are empty if xferspy was built without nvcc; then only the host can
 * take fingerprints. */
extern const unsigned char xs_fingerprint_fatbin[];
extern const size_t xs_fingerprint_fatbin_bytes;
extern const char xs_fingerprint_ptx[];
#endif

#endif
