/* Defines what the programs of the worked cases (case_*.cu, near_*.cu) share: contents that do not repeat, and short
 * names for calls of the runtime. The copies are blocking and use pinned memory, so that each case has only the problem
 * that it is about. */
#ifndef XFERSPY_TESTS_E2E_CASES_H
#define XFERSPY_TESTS_E2E_CASES_H

#include "tests/sim/kernels.cuh"

#include <cstring>

#include "../check.h"

/* Returns byte `i` of the content with this seed: splitmix64 of the seed and of i / 8. Contents with different seeds
 * have no leaf, no row and no eight bytes in common. */
static inline unsigned char case_byte(unsigned seed, size_t i) {
    unsigned long long x = (static_cast<unsigned long long>(seed) << 40) + i / 8 + 1;
    x *= 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return static_cast<unsigned char>((x ^ (x >> 31)) >> (i % 8 * 8));
}

static inline void case_fill(void *memory, size_t bytes, unsigned seed) {
    for (size_t i = 0; i < bytes; i++)
        static_cast<unsigned char *>(memory)[i] = case_byte(seed, i);
}

/* Requires that each byte equals the content with this seed, plus `added`. */
static inline void case_expect(const void *memory, size_t bytes, unsigned seed, unsigned added = 0) {
    for (size_t i = 0; i < bytes; i++) {
        REQUIRE(static_cast<const unsigned char *>(memory)[i] ==
                static_cast<unsigned char>(case_byte(seed, i) + added));
    }
}

static inline unsigned char *case_device(size_t bytes) {
    void *memory;
    OK(cudaMalloc(&memory, bytes));
    return static_cast<unsigned char *>(memory);
}

static inline unsigned char *case_pinned(size_t bytes) {
    void *memory;
    OK(cudaMallocHost(&memory, bytes));
    return static_cast<unsigned char *>(memory);
}

static inline void case_up(void *device, const void *host, size_t bytes) {
    OK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

static inline void case_down(void *host, const void *device, size_t bytes) {
    OK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

/* Launches a kernel that reads `from` and writes `to`. */
static inline void case_read(void *to, const void *from, size_t bytes, cudaStream_t stream = nullptr) {
    xs_copy<<<8, 256, 0, stream>>>(static_cast<float *>(to), static_cast<const float *>(from), bytes / sizeof(float));
    OK(cudaGetLastError());
}

/* Launches a kernel that changes every byte. */
static inline void case_change(void *memory, size_t bytes, cudaStream_t stream = nullptr) {
    xs_add_one_u8<<<8, 256, 0, stream>>>(static_cast<unsigned char *>(memory), bytes);
    OK(cudaGetLastError());
}

#endif
