// Computes XXH3 of one block of up to 4096 bytes in one warp, as defined for long inputs in xxHash's specification
// (doc/xxhash_spec.md of Cyan4973/xxHash, "XXH3 Algorithm Overview"). The size of a block is a multiple of 256
// bytes, and at least 256, so the other parts of the specification are not needed.
//
// XXH3 adds stripes of 64 bytes to eight accumulators and scrambles these after every 16 stripes. The number that a
// stripe adds does not depend on the accumulators, so lanes can add up different stripes at the same time, and only the
// scrambles must be done one after the other. In step i lane t reads bytes i * 512 + t * 16: stripe i * 8 + t / 4,
// accumulators 2 * (t % 4) and the next. Two steps are one run of 16 stripes.
#ifndef XFERSPY_PRELOAD_FINGERPRINT_TREE_XXH3_CUH
#define XFERSPY_PRELOAD_FINGERPRINT_TREE_XXH3_CUH

#include "preload/fingerprint/hash_tree_region.cuh"

namespace xs {

constexpr u32 all_lanes = 0xffffffffu;
constexpr u64 prime32_1 = 0x9E3779B1u, prime32_2 = 0x85EBCA77u, prime32_3 = 0xC2B2AE3Du;
constexpr u64 prime64_1 = 0x9E3779B185EBCA87u, prime64_2 = 0xC2B2AE3D27D4EB4Fu, prime64_3 = 0x165667B19E3779F9u,
              prime64_4 = 0x85EBCA77C2B2AE63u, prime64_5 = 0x27D4EB2F165667C5u;

// The default secret, 192 bytes as little-endian words.
__constant__ u64 secret[24] = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072, 0x78e5c0cc4ee679cb,
    0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0, 0xcb00c391bb52283c, 0xa32e531b8b65d088,
    0x4ef90da297486471, 0xd8acdea946ef1938, 0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a,
    0x647378d9c97e9fc8, 0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
    0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af,
};
__constant__ u64 first_accumulators[8] = {prime32_3, prime64_1, prime64_2, prime64_3,
                                          prime64_4, prime32_2, prime64_5, prime32_1};

__device__ __forceinline__ u64 secret_at(u32 byte) {
    u32 word = byte / 8, shift = byte % 8 * 8;
    return shift == 0 ? secret[word] : secret[word] >> shift | secret[word + 1] << (64 - shift);
}

// The parts of the secret that a lane needs; they are the same for every block. After the stripes a lane keeps one
// accumulator, number `own`. Lanes with an even number merge the low half of the result, the others the high half.
struct lane_keys {
    u64 stripe[2][2]; // of even and odd steps
    u64 last[2];      // of the block's last stripe
    u64 scramble, merge[2];
    u64 first; // accumulator
    u32 own;
};

__device__ __forceinline__ lane_keys keys_of(u32 lane) {
    lane_keys keys;
    u32 stripe = lane / 4, pair = lane % 4, high = stripe & 1;
    keys.own = pair * 2 + high;
    keys.scramble = secret[16 + keys.own];
    keys.first = first_accumulators[keys.own];
    for (u32 i = 0; i < 2; i++) {
        keys.stripe[0][i] = secret[stripe + pair * 2 + i];
        keys.stripe[1][i] = secret[stripe + pair * 2 + i + 8];
        keys.last[i] = secret_at(192 - 64 - 7 + pair * 16 + i * 8);
        keys.merge[i] = secret_at((high ? 192 - 64 - 11 : 11) + pair * 16 + i * 8);
    }
    return keys;
}

// Returns x + the product of the halves of y, by one instruction that the compiler does not use by itself.
__device__ __forceinline__ u64 add_low_times_high(u64 x, u64 y) {
    u64 sum;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"((u32)y), "r"((u32)(y >> 32)), "l"(x));
    return sum;
}

// Adds a lane's 16 bytes of a stripe to the pair of sums.
__device__ __forceinline__ void add_stripe(u64 sums[2], ulonglong2 data, u64 key0, u64 key1) {
    sums[0] = add_low_times_high(sums[0] + data.y, data.x ^ key0);
    sums[1] = add_low_times_high(sums[1] + data.x, data.y ^ key1);
}

// Adds up the sums of all lanes, and returns to each lane the sum for its own accumulator.
__device__ __forceinline__ u64 own_sum(const u64 sums[2], const lane_keys &keys) {
    bool second = keys.own & 1;
    u64 sum = (second ? sums[1] : sums[0]) + __shfl_xor_sync(all_lanes, second ? sums[0] : sums[1], 4);
    sum += __shfl_xor_sync(all_lanes, sum, 8);
    return sum + __shfl_xor_sync(all_lanes, sum, 16);
}

__device__ __forceinline__ u64 scramble(u64 accumulator, const lane_keys &keys) {
    return (accumulator ^ accumulator >> 47 ^ keys.scramble) * prime32_1;
}

// Merges the accumulators of a block of `bytes` bytes to its digest. Lane 0 gets the low half, which is XXH3_64bits,
// and lane 4 the high half.
__device__ __forceinline__ u64 merge(u64 accumulator, u32 bytes, const lane_keys &keys) {
    bool second = keys.own & 1;
    u64 other = __shfl_xor_sync(all_lanes, accumulator, 4);
    u64 a = (second ? other : accumulator) ^ keys.merge[0], b = (second ? accumulator : other) ^ keys.merge[1];
    u64 sum = a * b ^ __umul64hi(a, b);
    sum += __shfl_xor_sync(all_lanes, sum, 1);
    sum += __shfl_xor_sync(all_lanes, sum, 2);
    sum += second ? ~(bytes * prime64_2) : bytes * prime64_1;
    sum = (sum ^ sum >> 37) * 0x165667919E3779F9u;
    return sum ^ sum >> 32;
}

// Returns what two steps, which are the 16 stripes from `first` on, add to the lane's own accumulator. Stripes after
// the last one add nothing.
__device__ __forceinline__ u64 run_sum(ulonglong2 even, ulonglong2 odd, u32 first, u32 last, u32 lane,
                                       const lane_keys &keys) {
    u64 sums[2] = {0, 0};
    u32 stripe = first + lane / 4;
    if (stripe <= last)
        add_stripe(sums, even, stripe == last ? keys.last[0] : keys.stripe[0][0],
                   stripe == last ? keys.last[1] : keys.stripe[0][1]);
    stripe += 8;
    if (stripe <= last)
        add_stripe(sums, odd, stripe == last ? keys.last[0] : keys.stripe[1][0],
                   stripe == last ? keys.last[1] : keys.stripe[1][1]);
    return own_sum(sums, keys);
}

} // namespace xs

#endif
