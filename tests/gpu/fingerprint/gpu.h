/* What the fingerprint program needs of the driver: a context with the kernel loaded, slots, launches. */
#ifndef XFERSPY_TESTS_GPU_FINGERPRINT_GPU_H
#define XFERSPY_TESTS_GPU_FINGERPRINT_GPU_H

#include <cuda.h>
#include <stdbool.h>

#include "preload/fingerprint/hash_tree.h"
#include "preload/fingerprint/kernel.h"
#include "tests/e2e/programs/check.h"

#define BATCH 1000u /* launches between two waits for the GPU */

struct gpu {
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUstream stream;
    bool simulated;
    uint32_t max_blocks;                   /* 0: as xferspy_fingerprint_blocks says */
    struct xs_fingerprint_result *results; /* BATCH of them, pinned */
    CUdeviceptr results_device;
};

struct slot {
    struct xs_fingerprint_slot layout;
    CUdeviceptr memory;
};

/* Stops the program at the first call that fails; exit status 77 where there is no kernel or no device. `ptx_file` is
 * read instead of the built-in text unless it is NULL. */
void gpu_open(struct gpu *gpu, const char *ptx_file);
void gpu_close(struct gpu *gpu);
struct slot slot_new(uint64_t capacity);
void slot_free(struct slot *slot);
/* Starts the kernel in the stream; its result goes to results[index], with the sequence number index + 1. */
void fingerprint(const struct gpu *gpu, CUstream stream, const struct slot *slot, struct xs_fingerprint_region region,
                 uint32_t mode, unsigned index);

/* time.c: prints what the kernel costs. */
void measure(struct gpu *gpu);

#endif
