/* What the programs about repairs of uploads share. They take their plan along: it is written before the first call of CUDA, which
 * is when the library reads it. */
#ifndef XFERSPY_TESTS_E2E_UPLOADS_H
#define XFERSPY_TESTS_E2E_UPLOADS_H

#include "../cases/cases.h"

/* Writes the plan to where XFERSPY_REPAIR_PLAN says. */
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

/* An upload that does not block, in the legacy default stream unless another is named. */
static inline void repair_up_async(void *device, const void *host, size_t bytes, cudaStream_t stream = nullptr) {
    OK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
}

/* The device's content by a copy that blocks: each byte is the seed's plus `added`. */
static inline void repair_expect(const void *device, size_t bytes, unsigned seed, unsigned added = 0) {
    unsigned char *back = static_cast<unsigned char *>(calloc(1, bytes));
    case_down(back, device, bytes);
    case_expect(back, bytes, seed, added);
    free(back);
}

/* Keeps a stream busy for so long that what follows is seen if it does not wait. */
static inline void repair_busy(cudaStream_t stream = nullptr) {
    xs_spin<<<1, 1, 0, stream>>>(50ull * 1000000);
    OK(cudaGetLastError());
}

#endif
