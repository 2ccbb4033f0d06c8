/* Reads the samples that say what threads did between their calls (table host_sample). */
#ifndef XFERSPY_ANALYZER_SAVINGS_IDLE_PAUSE_SAMPLES_H
#define XFERSPY_ANALYZER_SAVINGS_IDLE_PAUSE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

struct xs_parts; /* analyzer/savings/replay/parts.h */

struct xs_pause_sample {
    int64_t thread, at_ns; /* thread.id */
    uint64_t ns;           /* how much time the sample stands for */
    int64_t stack;         /* stack.id */
    uint32_t place;        /* xs_sites_place of its stack; 0: not known */
    bool is_awake;         /* the thread did not sleep at that moment */
};

struct xs_pause_samples {
    struct xs_pause_sample *items; /* by thread, then by time */
    size_t count;
    int64_t main_thread; /* thread.id of the process's main thread; 0: not known */
};

/* Negative status: the message is set. Always call xs_pause_samples_free. */
int xs_pause_samples_read(struct xs_pause_samples *samples, const struct xs_trace *trace, const struct xs_sites *sites,
                          char *message, uint64_t *damaged);

/* Converts the times of the samples to times of the model (parts.h), and drops the samples that are in no part of it.
 */
void xs_pause_samples_move(struct xs_pause_samples *samples, const struct xs_parts *parts);
void xs_pause_samples_free(struct xs_pause_samples *samples);

/* Returns the index of a thread's first sample at `at_ns` or later. If there is none, the index belongs to another
 * thread's sample, or is the count. */
size_t xs_pause_samples_from(const struct xs_pause_samples *samples, int64_t thread, int64_t at_ns);

#endif
