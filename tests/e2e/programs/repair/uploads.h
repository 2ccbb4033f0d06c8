/* Defines what the programs about repairs of uploads share. Each program contains its plan, and writes the plan to a
 * file before its first call of CUDA, because the library reads the file at that call. */
#ifndef XFERSPY_TESTS_E2E_UPLOADS_H
#define XFERSPY_TESTS_E2E_UPLOADS_H

#include "../cases/cases.h"

/* Writes the plan to the file that XFERSPY_REPAIR_PLAN names. */
static inline void repair_plan(const char *lines) {
    FILE *to = fopen(getenv("XFERSPY_REPAIR_PLAN"), "w");
    REQUIRE(to != nullptr);
    fprintf(to, "xferspy-plan 1\n%s", lines);
    REQUIRE(fclose(to) == 0);
}

static inline unsigned char *repair_pageable(size_t bytes, unsigned seed) {
    unsigned char *memory = static_cast<unsigned char *>(malloc(bytes));
    REQUIRE(memory != nullptr);
    case_fill(memory, bytes, seed);
    return memory;
}

static inline unsigned char *repair_pinned(size_t bytes, unsigned seed) {
    unsigned char *memory = case_pinned(bytes);
    case_fill(memory, bytes, seed);
    return memory;
}

/* Makes an asynchronous upload, in the legacy default stream unless another stream is given. */
static inline void repair_up_async(void *device, const void *host, size_t bytes, cudaStream_t stream = nullptr) {
    OK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
}

/* Downloads device memory by a blocking copy, and requires that each byte equals the content with this seed, plus
 * `added`. */
static inline void repair_expect(const void *device, size_t bytes, unsigned seed, unsigned added = 0) {
    unsigned char *back = static_cast<unsigned char *>(calloc(1, bytes));
    case_down(back, device, bytes);
    case_expect(back, bytes, seed, added);
    free(back);
}

/* Keeps a stream busy for 50 ms, so long that a test notices later work which does not wait for the stream. */
static inline void repair_busy(cudaStream_t stream = nullptr) {
    xs_spin<<<1, 1, 0, stream>>>(50ull * 1000000);
    OK(cudaGetLastError());
}

#endif
