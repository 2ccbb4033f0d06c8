/* Measured values whose median is wanted. */
#ifndef XFERSPY_ANALYZER_REPLAY_DURATIONS_H
#define XFERSPY_ANALYZER_REPLAY_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

struct xs_durations { /* begins as zeros */
    int64_t *items;
    size_t count, capacity;
};

void xs_durations_add(struct xs_durations *samples, int64_t value);

/* The median, or `otherwise` where there is none; the samples are gone. */
int64_t xs_durations_usual(struct xs_durations *samples, int64_t otherwise);

#endif
