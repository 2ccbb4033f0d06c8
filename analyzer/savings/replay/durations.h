/* Collects measured values, and computes their median or another quantile. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_DURATIONS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

struct xs_durations { /* zeroed: empty */
    int64_t *items;
    size_t count, capacity;
};

void xs_durations_add(struct xs_durations *samples, int64_t value);

/* Returns the value below which one of every `part` samples lies, or `otherwise` if there are no samples. Frees the
 * samples. */
int64_t xs_durations_below(struct xs_durations *samples, unsigned part, int64_t otherwise);

/* Returns the median, or `otherwise` if there are no samples. Frees the samples. */
static inline int64_t xs_durations_usual(struct xs_durations *samples, int64_t otherwise) {
    return xs_durations_below(samples, 2, otherwise);
}

#endif
