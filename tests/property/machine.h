/* The device side of the random programs: contexts, streams, kernels, and the order of operations. Each operation runs
 * after all operations that were queued before it, in any stream, so that the outcome is defined. The host waits only
 * where the program waits. */
#ifndef XFERSPY_TESTS_PROPERTY_MACHINE_H
#define XFERSPY_TESTS_PROPERTY_MACHINE_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/e2e/programs/check.h"

enum { DEVICES = 2, STREAMS = 3 }; /* stream 0 is the legacy default stream */

struct machine {
    int devices;
    CUcontext context[DEVICES];
    CUstream stream[DEVICES][STREAMS];
    CUevent event[DEVICES];
    CUfunction mix[DEVICES], read[DEVICES], copy[DEVICES], noop[DEVICES];
    CUgraphExec graph[DEVICES]; /* graph with one kernel, whose arguments are not seen */
    int device, last_stream;    /* device and stream of the last operation */
};

void machine_start(struct machine *machine);
void machine_end(struct machine *machine);

/* Makes the device current, and makes later work of the stream wait for all operations that were queued before, in any
 * stream. Returns the stream. */
CUstream machine_order(struct machine *machine, int device, int stream);

/* Waits for all queued operations. */
void machine_wait(struct machine *machine);

/* Launches a kernel that replaces each word i of n by (word & keep) ^ base ^ machine_noise(i + salt). */
void machine_mix(struct machine *machine, CUstream stream, CUdeviceptr words, size_t n, uint32_t keep, uint32_t base,
                 uint32_t salt);
static inline uint32_t machine_noise(uint32_t x) { return x * 2654435761u >> 12; } /* the result has 20 bits */

void machine_read(struct machine *machine, CUstream stream, CUdeviceptr words, size_t n);
void machine_copy(struct machine *machine, CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t n);
void machine_noop(struct machine *machine, CUstream stream);

#endif
