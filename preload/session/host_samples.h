/* Samples what the threads of a Python program do between their calls of CUDA. Up to 200 times a second, the drain
 * thread finds the threads that have made no call for at least two milliseconds, and reads their Python stacks. The
 * threads are not stopped: the drain thread only reads the process's memory, through the kernel. */
#ifndef XFERSPY_PRELOAD_SESSION_HOST_SAMPLES_H
#define XFERSPY_PRELOAD_SESSION_HOST_SAMPLES_H

#include <stdbool.h>

#include "schema/clock.h"
#include "schema/write/store.h"

/* Turns samples on. `permille` is the largest part of the run's time that they may take. This function is called before
 * the drain thread is started. Only the drain thread may call xs_host_samples_look and xs_host_samples_write. */
void xs_host_samples_start(unsigned permille);

/* Takes the samples that are due. If the next call is due in less than *wait_ms, sets *wait_ms to the time until that
 * call. Returns XS_OK or an error of the store. */
int xs_host_samples_look(struct xs_store *store, const struct xs_clock *clock, unsigned *wait_ms);

/* Writes the samples that were taken since the last call, and the CPU time that all samples have cost. Must be called
 * inside a batch of the store. */
int xs_host_samples_write(struct xs_store *store, const struct xs_clock *clock);

#endif
