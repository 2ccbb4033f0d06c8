// Computes the content fingerprint on the device. hash_tree.h defines it, and kernel.h tells how to launch the
// kernel. One warp hashes a leaf. The block that finishes the last leaf of a node hashes the node, and so on up to
// the root, so that one launch is enough. The kernel is also shipped as PTX for old drivers (kernel_image.cmake), so
// nothing newer than sm_60 may be used.
#include "preload/fingerprint/hash_tree_region.cuh"
#include "preload/fingerprint/hash_tree_xxh3.cuh"
#include "preload/fingerprint/kernel.h"

#include <stddef.h>

namespace {

using namespace xs;

constexpr u32 steps = XS_LEAF_BYTES / 512, runs = steps / 2;

// A ticket counts what is finished below a node: the children (bits 0-15), the children that do not repeat the
// region's first four bytes (bits 16-31), and the leaves that changed (bits 32-63). The warp that completes the
// children hashes the node.
constexpr u64 one_different = 1u << 16, one_changed = 1ull << 32;

__device__ __forceinline__ bool any_different(u64 ticket) { return (ticket >> 16 & 0xffff) != 0; }

__device__ __forceinline__ u64 as_child(u64 ticket) {
    return (ticket >> 32 << 32) | (any_different(ticket) ? one_different : 0) | 1;
}

// Returns the bits in which the first `bytes` bytes of `data` differ from the repeated value.
__device__ __forceinline__ u64 difference(const ulonglong2 &data, u64 pattern, int bytes) {
    return ((data.x ^ pattern) & mask_of(bytes)) | ((data.y ^ pattern) & mask_of(bytes - 8));
}

// Returns half of the digest (see merge()) of a full leaf at a 16-byte aligned address. All loads are issued before
// the first result is used. `different` is set in lanes whose bytes do not repeat `pattern`.
__device__ __forceinline__ u64 hash_leaf(u64 address, u64 pattern, u32 lane, const lane_keys &keys, bool *different) {
    ulonglong2 data[steps];
    u64 sums[runs], unequal = 0, accumulator = keys.first;
#pragma unroll
    for (u32 i = 0; i < steps; i++)
        data[i] = load_chunk(address + i * 512 + lane * 16);
#pragma unroll
    for (u32 i = 0; i < steps; i++)
        unequal |= (data[i].x ^ pattern) | (data[i].y ^ pattern);
#pragma unroll
    for (u32 run = 0; run < runs; run++)
        sums[run] = run_sum(data[run * 2], data[run * 2 + 1], run * 16, XS_LEAF_BYTES / 64 - 1, lane, keys);
#pragma unroll
    for (u32 run = 0; run < runs; run++)
        accumulator = run + 1 < runs ? scramble(accumulator + sums[run], keys) : accumulator + sums[run];
    *different = unequal != 0;
    return merge(accumulator, XS_LEAF_BYTES, keys);
}

// Loads a lane's bytes of a block of a linear region, at any alignment. Only the first and the last word may be
// partly outside of the region. If the region is not aligned, lanes get the rest of their 16 bytes from the next
// lane, or from its next word.
__device__ __forceinline__ void load_linear(ulonglong2 data[steps + 1], const xs_fingerprint_region &region, u64 offset,
                                            u32 lane) {
    const u64 end = region.base + region.length, first = region.base + offset;
    const u64 own = (first & ~15ull) + lane * 16;
    const u32 bits = (u32)(first % 16) * 8, next_lane = (lane + 1) % 32;
#pragma unroll
    for (u32 i = 0; i <= steps; i++) {
        u64 at = own + i * 512;
        bool whole = at >= region.base && at + 16 <= end && (i < steps || (bits != 0 && lane == 0));
        data[i] = whole ? load_chunk(at) : ulonglong2{0, 0};
    }
#pragma unroll 1
    for (u32 i = 0; i <= steps; i++) {
        u64 at = own + i * 512;
        if (at < end && at + 16 > region.base && (at < region.base || at + 16 > end))
            data[i] = load_part_of_word(at, region.base, end);
    }
    if (bits == 0)
        return;
#pragma unroll
    for (u32 i = 0; i < steps; i++) {
        ulonglong2 give = lane == 0 ? data[i + 1] : data[i];
        ulonglong2 next = {__shfl_sync(all_lanes, give.x, next_lane), __shfl_sync(all_lanes, give.y, next_lane)};
        data[i] = shift_down(data[i], next, bits);
    }
}

// Returns the same for `bytes` bytes of a region from `offset` on, for any number of bytes, alignment and shape.
__device__ __forceinline__ u64 hash_any(const xs_fingerprint_region &region, access how, u64 offset, u32 bytes,
                                        u64 pattern, u32 lane, const lane_keys &keys, bool *different) {
    const u32 padded = xs_fingerprint_padded(bytes), last_stripe = padded / 64 - 1, last_run = last_stripe / 16;
    ulonglong2 data[steps + 1]; // in local memory, because of the loops; the registers are for hash_leaf()
    u64 accumulator = keys.first, unequal = 0;
    if (how == linear_16 || how == linear_any)
        load_linear(data, region, offset, lane);
#pragma unroll 1
    for (u32 i = 0; i <= last_run * 2 + 1; i++) {
        u32 at = i * 512 + lane * 16;
        if (how != linear_16 && how != linear_any)
            data[i] = at < bytes ? load_box(region, how, offset + at, min(16u, bytes - at)) : ulonglong2{0, 0};
        unequal |= difference(data[i], pattern, (int)bytes - (int)at);
    }
#pragma unroll 1
    for (u32 run = 0; run <= last_run; run++) {
        accumulator += run_sum(data[run * 2], data[run * 2 + 1], run * 16, last_stripe, lane, keys);
        if (run < last_run)
            accumulator = scramble(accumulator, keys);
    }
    *different = unequal != 0;
    return merge(accumulator, padded, keys);
}

// What the warps of a block pass to its first warp after one round of leaves. There are two of these structs,
// because the other warps are at most one round ahead of the first warp.
struct leaf_round {
    u64 digest[XS_FINGERPRINT_WARPS], high; // the high half is used if there is only one leaf
    u32 different[XS_FINGERPRINT_WARPS];
};

// Writes the digests of the leaves, and returns the number that they add to the ticket of their node.
__device__ __forceinline__ u64 finish_leaves(const xs_fingerprint_parameters &p, const leaf_round &leaf_round,
                                             u64 first, u32 count, u64 old, u32 lane) {
    bool changed = false, different = false;
    if (lane < count) {
        u64 digest = leaf_round.digest[lane];
        ((u64 *)p.leaves)[first + lane] = digest;
        changed = (p.mode & XS_FINGERPRINT_COMPARE) != 0 && digest != old;
        different = leaf_round.different[lane] != 0;
    }
    u64 changes = __popc(__ballot_sync(all_lanes, changed)), differences = __popc(__ballot_sync(all_lanes, different));
    return changes * one_changed + differences * one_different + count;
}

// Adds *ticket to the ticket at `address`. True if this completed the `group` children of the node; *ticket is then
// the sum of all their additions.
__device__ __forceinline__ bool complete(u64 *address, u64 *ticket, u32 group, u32 lane) {
    if ((*ticket & 0xffff) == group) { // no other warp has children of this node
        __syncwarp();
        return true;
    }
    __threadfence(); // earlier writes are visible to the warp that sees the complete ticket
    __syncwarp();
    u64 before = lane == 0 ? atomicAdd(address, *ticket) : 0;
    *ticket += __shfl_sync(all_lanes, before, 0);
    if ((*ticket & 0xffff) != group)
        return false;
    if (lane == 0)
        *address = 0;
    __threadfence();
    return true;
}

__device__ __forceinline__ void write_result(const xs_fingerprint_parameters &p, ulonglong2 content, ulonglong2 before,
                                             u64 ticket, u32 value, access how) {
    bool compare = (p.mode & XS_FINGERPRINT_COMPARE) != 0;
    bool constant = p.region.length >= 8 && !any_different(ticket);
    u64 flags = (compare ? XS_RESULT_HAS_BEFORE : 0) | (constant ? XS_RESULT_CONSTANT : 0) |
                (how == linear_16 || how == box_16 ? XS_RESULT_ALIGNED : 0);
    static_assert(offsetof(xs_fingerprint_result, leaves) == 32 && offsetof(xs_fingerprint_result, flags) == 44 &&
                      offsetof(xs_fingerprint_result, sequence) == 56,
                  "written as four 16-byte words");
    volatile u64 *sequence = (volatile u64 *)(p.result + offsetof(xs_fingerprint_result, sequence));
    ulonglong2 *result = (ulonglong2 *)p.result;
    result[0] = content;
    result[1] = compare ? before : ulonglong2{0, 0};
    result[2] = {xs_fingerprint_leaves(p.region.length) | ticket >> 32 << 32, (constant ? value : 0) | flags << 32};
    ((u64 *)result)[6] = p.region.length;
    __threadfence_system();
    *sequence = p.sequence;
}

// Runs in one warp. Adds `ticket` to the ticket of the node above the leaves from `first` on, and hashes this node
// and the nodes above it, up to the first node whose children are not complete yet.
__device__ __forceinline__ void climb(const xs_fingerprint_parameters &p, u64 first, u64 ticket, u64 single_high,
                                      u64 single_low, u32 value, access how, u32 lane, const lane_keys &keys) {
    u64 count = xs_fingerprint_leaves(p.region.length), below = p.leaves, here = p.nodes, *tickets = (u64 *)p.tickets;
    u64 digest = lane == 0 ? single_low : single_high;
    const bool single = count == 1;
    for (;;) {
        bool at_root = count <= XS_GROUP, different;
        u64 node = at_root ? 0 : first / XS_GROUP;
        u32 group = (u32)min((u64)XS_GROUP, count - node * XS_GROUP);
        if (!complete(tickets + node, &ticket, group, lane))
            return;
        if (!single)
            digest = hash_any(xs_fingerprint_linear(below, count * XS_DIGEST_BYTES), linear_16, node * XS_LEAF_BYTES,
                              group * XS_DIGEST_BYTES, 0, lane, keys, &different);
        if (at_root)
            break;
        if (lane == 0)
            ((u64 *)here)[node] = digest;
        u64 parents = xs_fingerprint_parents(count);
        ticket = as_child(ticket);
        first = node;
        tickets += parents;
        below = here;
        here += (parents + 1) / 2 * 16; // every level starts at a multiple of 16 bytes
        count = parents;
    }
    u64 low = digest, high = __shfl_sync(all_lanes, digest, 4);
    if (lane != 0)
        return;
    xs_fingerprint_mix_length((uint64_t *)&low, (uint64_t *)&high, p.region.length);
    ulonglong2 content = {low, high}, *root = (ulonglong2 *)p.root, before = *root;
    *root = content;
    if ((p.mode & XS_FINGERPRINT_MEASURE_ONLY) == 0)
        write_result(p, content, before, ticket, value, how);
}

} // namespace

extern "C" __global__ void __launch_bounds__(XS_FINGERPRINT_THREADS, 3)
    xferspy_fingerprint(const xs_fingerprint_parameters p) {
    __shared__ leaf_round leaf_rounds[2];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u64 leaves = xs_fingerprint_leaves(p.region.length), stride = (u64)gridDim.x * XS_FINGERPRINT_WARPS;
    const access how = access_of(p.region);
    const u32 value = p.region.length < 8 ? 0 : load_first(p.region);
    const lane_keys keys = keys_of(lane);
    u32 parity = 0;
    for (u64 first = (u64)blockIdx.x * XS_FINGERPRINT_WARPS; first < leaves; first += stride, parity ^= 1) {
        leaf_round &leaf_round = leaf_rounds[parity];
        u32 count = (u32)min((u64)XS_FINGERPRINT_WARPS, leaves - first);
        u64 old = 0, offset = (first + warp) * XS_LEAF_BYTES, pattern = (u64)value << 32 | value;
        if (warp == 0 && lane < count && (p.mode & XS_FINGERPRINT_COMPARE) != 0)
            old = __ldcg((const u64 *)p.leaves + first + lane);
        if (warp < count) {
            bool different;
            u32 bytes = (u32)min((u64)XS_LEAF_BYTES, p.region.length - offset);
            u64 digest;
            if (how == linear_16 && bytes == XS_LEAF_BYTES)
                digest = hash_leaf(p.region.base + offset, pattern, lane, keys, &different);
            else
                digest = hash_any(p.region, how, offset, bytes, pattern, lane, keys, &different);
            different = __any_sync(all_lanes, different);
            if (lane == 0) {
                leaf_round.digest[warp] = digest;
                leaf_round.different[warp] = different;
            }
            if (lane == 4 && warp == 0)
                leaf_round.high = digest;
        }
        __syncthreads();
        if (warp == 0) {
            u64 ticket = finish_leaves(p, leaf_round, first, count, old, lane);
            climb(p, first, ticket, leaf_round.high, leaf_round.digest[0], value, how, lane, keys);
        }
    }
}
