/* Simulates the device in a replay: the work in its streams, and when each piece begins and ends. An operation is ready
 * when everything before it in stream order has ended; a copy engine then serves the first that is ready, whatever the
 * order of the calls. So an end is known only once time has reached it: the replay advances the device to its threads.
 */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_DEVICE_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_DEVICE_H

#include "analyzer/base/hash.h"
#include "analyzer/savings/replay/model.h"

/* A point is something in a stream with an end: an operation, or a mere mark between operations. */
struct xs_point {
    int64_t end_ns;     /* until it is past: the latest end that it has waited for so far; 0: none */
    int64_t ready_ns;   /* of an operation: earliest begin, at first without its waits */
    int64_t length_ns;  /* of an operation: its duration */
    uint32_t operation; /* XS_NO_OPERATION: a mere mark */
    uint32_t awaited;   /* number of points that must end before it is ready, or past */
    uint32_t followers; /* first edge to the points that wait for it */
    int32_t thread;     /* thread that waits for it; -1: none */
    bool is_past;       /* the end is known */
    bool is_beside;     /* a copy on a side stream */
};
#define XS_NO_POINT UINT32_MAX

struct xs_edge {
    uint32_t follower, next;
};

/* One stream of the device. */
struct xs_device_stream {
    uint32_t tail; /* its last point; XS_NO_POINT: none */
    int32_t device;
    bool is_apart, is_active; /* is_active: among the streams that may have a tail that is not past */
};

struct xs_device {
    const struct xs_model *model;
    struct xs_point *points;
    struct xs_edge *edges;
    uint32_t point_count, edge_count, free_edge;
    size_t point_capacity, edge_capacity, ready_capacity, past_capacity, woken_capacity;
    struct xs_device_stream *streams;
    int32_t *active, active_count;
    uint32_t *legacy; /* by device: the last point of its legacy default stream */
    uint32_t *beside; /* by device: the last of the downloads on side streams */
    int64_t *all,
        *ordered; /* by device: the end of everything past, and of everything past in streams that are not apart */
    int64_t (*engines)[XS_ENGINES]; /* by device: when each engine will be free */
    uint32_t *ready;                /* a heap of operations, by the time at which they are ready */
    uint32_t ready_count;
    uint32_t *past, past_count; /* points with followers to be told */
    int32_t *woken, woken_count;
    struct xs_hash events; /* handle to the point of its last record, plus 1 */
};

void xs_device_begin(struct xs_device *device, const struct xs_model *model);
void xs_device_end(struct xs_device *device);

/* Puts an operation of the call into its stream; it begins at `ready_ns` at the earliest. `beside` puts a copy on a
 * side stream. An upload there waits for nothing, because its data is ready to be sent. A download there still needs
 * what is before it, and only the host waits for it. */
void xs_device_put(struct xs_device *device, const struct xs_model_call *call, uint32_t operation, int64_t ready_ns,
                   int64_t length_ns, bool beside);

/* Applies the call to the order of streams: it records an event, or makes a stream wait for one. */
void xs_device_order(struct xs_device *device, const struct xs_model_call *call);

/* Returns the point that a call's wait waits for now; for XS_WAITS_OWN, the operations from point `own` on.
 * XS_NO_POINT: nothing. */
uint32_t xs_device_wait(struct xs_device *device, const struct xs_model_call *call, enum xs_model_wait wait,
                        uint32_t own);

/* Gets the point's end and returns true if it is known. Otherwise the thread is woken once it is known. */
bool xs_device_end_of(struct xs_device *device, uint32_t point, int32_t thread, int64_t *end_ns);

/* Returns when the first operation that has not begun is ready; INT64_MAX: none. */
int64_t xs_device_next(const struct xs_device *device);

/* Starts the operation of xs_device_next. Threads that wait for an end that is known now are in woken[0 .. woken_count
 * - 1]. */
void xs_device_step(struct xs_device *device);

#endif
