/* Keeps two kinds of intervals near the time of the current event: those in which a device ran kernels, and those in
 * which the host waited for a stream. Computes from them how much of a copy was exposed. Also returns the kernels of
 * all devices in order. Kernels and waits are read in step with the events, and are forgotten as soon as later events
 * no longer need them. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_EXPOSURE_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_EXPOSURE_H

#include "analyzer/base/hash.h"
#include "analyzer/base/intervals.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/streams.h"

struct xs_kernel_interval {
    int64_t id, start_ns, end_ns;
    int32_t device;
    uint32_t correlation;
};

/* Holds disjoint intervals in order, as a queue. */
struct xs_busy {
    struct xs_interval *items; /* capacity is a power of two */
    size_t first, count, capacity;
};

struct xs_exposure {
    struct xs_source *kernel_source, *wait_source;
    struct xs_busy *kernels; /* index: device + 1 */
    size_t devices;
    const struct xs_streams *streams;
    struct xs_hash waits; /* maps the identity of a stream to a struct xs_busy with the waits for the stream */
    size_t sweep_at;      /* if `waits` has this many streams, those without a wait are dropped */
    struct xs_kernel_interval *queue; /* kernels that were read but not yet returned; capacity is a power of two */
    size_t queue_first, queue_count, queue_capacity;
    bool wanted; /* a detector wants the kernels' intervals */
};

/* `ahead` and `most_rows` are as in xs_merge_begin. The pointer `streams` is kept; the struct may be filled later.
 * `wanted`: a detector wants the kernels' intervals. */
void xs_exposure_begin(struct xs_exposure *exposure, const struct xs_trace *trace, struct xs_ahead *ahead,
                       const struct xs_streams *streams, unsigned most_rows, bool wanted, char *message,
                       uint64_t *damaged);
void xs_exposure_end(struct xs_exposure *exposure);

/* Computes how much of a copy was exposed: the time in which no kernel ran on the device, or the host was blocked in
 * the copy's own call or in a wait for its stream (stream 0: unknown). Waits for the context or an event do not count,
 * because they wait for other work as well. Forgets everything before `now`. Returns 0 or a negative status. */
int xs_exposure_of_copy(struct xs_exposure *exposure, int32_t device, int32_t stream, struct xs_interval copy,
                        struct xs_interval call, int64_t now, uint64_t *exposed_ns);

/* Computes how long kernels ran on the device in a time span that begins at the current event or later. Returns 0 or a
 * negative status. */
int xs_exposure_kernels(struct xs_exposure *exposure, int32_t device, struct xs_interval span, uint64_t *ns);

/* Sets `*kernel` to the interval of the next kernel in the order of start times, or to NULL after the last kernel. The
 * pointer is valid until the next call. Returns 0 or a negative status. */
int xs_exposure_peek(struct xs_exposure *exposure, const struct xs_kernel_interval **kernel);
void xs_exposure_pop(struct xs_exposure *exposure);

#endif
