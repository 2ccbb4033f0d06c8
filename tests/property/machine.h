/* The device side of the random programs: contexts, streams, kernels, and the order between them. Whatever stream an
 * operation goes to, it runs after all that were queued before, so that the outcome is defined; the host waits for
 * nothing but what the program waits for. */
#ifndef XFERSPY_TESTS_PROPERTY_MACHINE_H
#define XFERSPY_TESTS_PROPERTY_MACHINE_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/e2e/programs/check.h"

enum { DEVICES = 2, STREAMS = 3 }; /* stream 0 is the legacy default one */

struct machine {
    int devices;
    CUcontext context[DEVICES];
    CUstream stream[DEVICES][STREAMS];
    CUevent event[DEVICES];
    CUfunction mix[DEVICES], read[DEVICES], copy[DEVICES], noop[DEVICES];
    CUgraphExec graph[DEVICES]; /* one kernel that takes nothing: a launch of unseen arguments */
    int device, last_stream;    /* where the last operation went */
};

void machine_start(struct machine *machine);
void machine_end(struct machine *machine);

/* Makes the device current, and what is queued in the stream next wait for all that was queued before anywhere. */
CUstream machine_order(struct machine *machine, int device, int stream);

/* Waits for all that was queued. */
void machine_wait(struct machine *machine);

/* Word i of n: (word & keep) ^ base ^ machine_noise(i + salt). */
void machine_mix(struct machine *machine, CUstream stream, CUdeviceptr words, size_t n, uint32_t keep, uint32_t base,
                 uint32_t salt);
static inline uint32_t machine_noise(uint32_t x) { return x * 2654435761u >> 12; } /* 20 bits */

void machine_read(struct machine *machine, CUstream stream, CUdeviceptr words, size_t n);
void machine_copy(struct machine *machine, CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t n);
void machine_noop(struct machine *machine, CUstream stream);

#endif
