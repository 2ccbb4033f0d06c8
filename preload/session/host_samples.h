/* Samples what threads of a Python program do between their calls of CUDA: the drain thread looks up to 100 times a
 * second which threads have made no call for some milliseconds, and takes their Python stacks. The threads do not
 * notice: the drain thread only reads memory, through the kernel. */
#ifndef XFERSPY_PRELOAD_SESSION_HOST_SAMPLES_H
#define XFERSPY_PRELOAD_SESSION_HOST_SAMPLES_H

#include <stdbool.h>

#include "schema/clock.h"
#include "schema/write/store.h"

/* Turns samples on. `permille` is the largest part of the run's time that they may take. Called before the drain thread
 * is started. The functions below are only for the drain thread. */
void xs_host_samples_start(unsigned permille);

/* Takes the samples that are due. Sets *wait_ms to the time until the next look, if that is earlier. Returns XS_OK or
 * an error of the store. */
int xs_host_samples_look(struct xs_store *store, const struct xs_clock *clock, unsigned *wait_ms);

/* Writes the samples that were taken since the last call, and what they cost. Inside a batch of the store. */
int xs_host_samples_write(struct xs_store *store, const struct xs_clock *clock);

#endif
