/* Measured values whose median is wanted. */
#ifndef XFERSPY_ANALYZER_REPLAY_SAMPLES_H
#define XFERSPY_ANALYZER_REPLAY_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct xs_samples { /* begins as zeros */
    int64_t *items;
    size_t count, capacity;
};

void xs_samples_add(struct xs_samples *samples, int64_t value);

/* The median, or `otherwise` where there is none; the samples are gone. */
int64_t xs_samples_usual(struct xs_samples *samples, int64_t otherwise);

#endif
