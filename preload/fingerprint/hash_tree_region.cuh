// Reads a region, which may be unaligned or a box, 16 bytes at a time; bytes that it does not have are zeros. No
// byte outside the region is read, because tools that check the application's memory accesses check these reads as
// well.
#ifndef XFERSPY_PRELOAD_FINGERPRINT_TREE_REGION_CUH
#define XFERSPY_PRELOAD_FINGERPRINT_TREE_REGION_CUH

#include "preload/fingerprint/hash_tree_shape.h"

namespace xs {

using u32 = unsigned int;
using u64 = unsigned long long; // the type of atomics and vector types; uint64_t is unsigned long

// How a region can be read. A box is read in pieces of the given number of bytes, which must divide its base, width
// and pitches.
enum access { linear_16, linear_any, box_16, box_4, box_1 };

__device__ __forceinline__ access access_of(const xs_fingerprint_region &region) {
    if (region.width == 0)
        return region.base % 16 == 0 ? linear_16 : linear_any;
    u64 all = region.base | region.width | region.pitch | region.slice_pitch;
    return all % 16 == 0 ? box_16 : all % 4 == 0 ? box_4 : box_1;
}

// Returns a mask of the first `bytes` bytes of a word.
__device__ __forceinline__ u64 mask_of(int bytes) {
    return bytes >= 8 ? ~0ull : bytes <= 0 ? 0 : (1ull << bytes * 8) - 1;
}

// Does not use the cache of the multiprocessor, because other multiprocessors wrote digests during this launch.
__device__ __forceinline__ ulonglong2 load_chunk(u64 address) { return __ldcg((const ulonglong2 *)address); }

__device__ __forceinline__ void put(ulonglong2 &chunk, u32 byte, u64 piece) {
    if (byte < 8)
        chunk.x |= piece << byte * 8;
    else
        chunk.y |= piece << (byte - 8) * 8;
}

// Returns the 16-byte word at `address`, of which only the bytes from `base` on and before `end` are read; the
// others are zeros. Each byte is loaded separately, because only few lanes need this; all loads are issued together.
__device__ __forceinline__ ulonglong2 load_part_of_word(u64 address, u64 base, u64 end) {
    ulonglong2 chunk = {0, 0};
#pragma unroll
    for (u32 i = 0; i < 16; i++)
        put(chunk, i, address + i >= base && address + i < end ? __ldcg((const unsigned char *)address + i) : 0);
    return chunk;
}

// Returns 16 bytes of the 32 bytes `low` and `high`, beginning at the offset `bits` / 8.
__device__ __forceinline__ ulonglong2 shift_down(ulonglong2 low, ulonglong2 high, u32 bits) {
    if (bits >= 64) {
        low = {low.y, high.x};
        high.x = high.y;
        bits -= 64;
    }
    if (bits == 0)
        return low;
    return {low.x >> bits | low.y << (64 - bits), low.y >> bits | high.x << (64 - bits)};
}

// Returns the first four bytes of the region, which must have at least four.
__device__ __forceinline__ u32 load_first(const xs_fingerprint_region &region) {
    u32 value = 0;
    if (region.base % 4 == 0 && (region.width == 0 || region.width >= 4))
        return *(const u32 *)region.base;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        u64 row = region.width == 0 ? 0 : i / region.width, slice = region.slice_pitch == 0 ? 0 : row / region.height;
        u64 at = region.base + slice * region.slice_pitch + (row - slice * region.height) * region.pitch;
        value |= (u32) * (const unsigned char *)(at + i - row * region.width) << i * 8;
    }
    return value;
}

// Returns `bytes` bytes, at most 16, of a box from `offset` on, which is a multiple of 16.
__device__ __forceinline__ ulonglong2 load_box(const xs_fingerprint_region &region, access how, u64 offset, u32 bytes) {
    u64 row = offset / region.width, column = offset - row * region.width, rows_left = ~0ull;
    u64 address = region.base + row * region.pitch;
    if (region.slice_pitch != 0) {
        u64 slice = row / region.height;
        row -= slice * region.height;
        rows_left = region.height - row;
        address = region.base + slice * region.slice_pitch + row * region.pitch;
    }
    if (how == box_16)
        return load_chunk(address + column);
    ulonglong2 chunk = {0, 0};
    const u32 size = how == box_4 ? 4 : 1;
#pragma unroll 1
    for (u32 i = 0; i < bytes; i += size) {
        u64 at = address + column;
        put(chunk, i, size == 4 ? *(const u32 *)at : *(const unsigned char *)at);
        column += size;
        if (column == region.width) {
            column = 0;
            address += region.pitch;
            if (--rows_left == 0) {
                rows_left = region.height;
                address += region.slice_pitch - region.height * region.pitch;
            }
        }
    }
    return chunk;
}

} // namespace xs

#endif
