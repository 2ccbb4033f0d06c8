/* The part of the fingerprint program that uses the driver: makes a context, loads the kernel, makes slots, and
 * launches the kernel. */
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
    uint32_t max_blocks;                   /* largest number of blocks; 0: only xs_fingerprint_blocks limits it */
    struct xs_fingerprint_result *results; /* BATCH results in pinned memory */
    CUdeviceptr results_device;
};

struct slot {
    struct xs_fingerprint_slot layout;
    CUdeviceptr memory;
};

/* Makes the context and loads the kernel. Stops the program at the first call that fails, with exit status 77 if there
 * is no kernel or no device. If `ptx_file` is not NULL, this file is read instead of the built-in PTX text. */
void gpu_open(struct gpu *gpu, const char *ptx_file);
void gpu_close(struct gpu *gpu);
struct slot slot_new(uint64_t capacity);
void slot_free(struct slot *slot);
/* Launches the kernel in the stream. Its result goes to results[index], with the sequence number index + 1. */
void fingerprint(const struct gpu *gpu, CUstream stream, const struct slot *slot, struct xs_fingerprint_region region,
                 uint32_t mode, unsigned index);

/* Prints how much time the kernel takes; in time.c. */
void measure(struct gpu *gpu);

#endif
