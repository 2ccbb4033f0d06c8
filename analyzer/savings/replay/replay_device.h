/* Simulates the device in a replay: the work in its streams, and when each operation begins and ends. An operation is
 * ready when everything before it in stream order has ended. A copy engine starts the operation that is ready first,
 * even if it was requested later. So the end of an operation is known only when the simulated time has reached it; the
 * replay therefore advances the device together with the threads. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_DEVICE_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_DEVICE_H

#include "analyzer/base/hash.h"
#include "analyzer/base/heap.h"
#include "analyzer/savings/replay/model.h"

/* A point is an operation in a stream, or a mark between operations. Each point has an end; the end of a mark is the
 * latest end of the points that it waits for. */
struct xs_point {
    int64_t end_ns;     /* if is_past is true, its end; else the latest end of what it has waited for so far, or 0 */
    int64_t ready_ns;   /* for an operation: its earliest begin; considers all that it waits for only when `awaited` is
                         * 0 */
    int64_t length_ns;  /* for an operation: its duration */
    int64_t gap_ns;     /* for an operation: from the end of the work that it waits for to its start */
    uint32_t operation; /* XS_NO_OPERATION: the point is a mark */
    uint32_t awaited;   /* number of points that must end before this point is ready (an operation) or past (a mark) */
    uint32_t followers; /* first edge of the list of the points that wait for this point */
    int32_t thread;     /* thread that waits for this point; -1: none */
    bool is_past;       /* the end is known */
    bool is_beside;     /* it is a download in a side stream */
};
#define XS_NO_POINT UINT32_MAX

struct xs_edge {
    uint32_t follower, next;
};

/* One stream of the device. */
struct xs_device_stream {
    uint32_t tail; /* its last point; XS_NO_POINT: none */
    int32_t device;
    bool is_apart, is_active; /* is_active: the stream is in xs_device.active, the list of streams whose tail may not be
                               * past yet */
};

struct xs_device {
    const struct xs_model *model;
    struct xs_point *points;
    struct xs_edge *edges;
    uint32_t point_count, edge_count, free_edge;
    size_t point_capacity, edge_capacity, past_capacity, woken_capacity;
    struct xs_device_stream *streams;
    int32_t *active, active_count;
    uint32_t *legacy;       /* by device: the last point of its legacy default stream */
    uint32_t *beside;       /* by device: the last point of the downloads in side streams */
    uint32_t *latest;       /* by thread: the point of its latest operation */
    int64_t *all, *ordered; /* by device: the latest end of all past points, and of the past points in streams that
                             * are ordered with the legacy default stream */
    int64_t (*engines)[XS_ENGINES]; /* by device: when each engine becomes free */
    struct xs_heap ready;           /* points of operations, by the time at which they are ready */
    uint32_t *past, past_count;     /* past points whose followers must still be informed */
    int32_t *woken, woken_count;
    struct xs_hash events; /* maps the handle of an event to the point of its last record, plus 1 */
};

void xs_device_begin(struct xs_device *device, const struct xs_model *model);
void xs_device_end(struct xs_device *device);

/* Puts an operation of the call into the call's stream; it begins at `ready_ns` at the earliest, and `gap_ns` after the
 * work that it waits for. If `beside` is true, the operation is a copy that is put into a side stream. There an upload
 * waits for nothing, because its data is ready to be sent. A download still waits for the work before it, but no work
 * in the stream waits for the download; only the host waits for it. */
void xs_device_put(struct xs_device *device, const struct xs_model_call *call, uint32_t operation, int64_t ready_ns,
                   int64_t length_ns, int64_t gap_ns, bool beside);

/* Applies the call to the order of streams: it records an event, or makes a stream wait for one. */
void xs_device_order(struct xs_device *device, const struct xs_model_call *call);

/* Returns a point that ends when the wait of this call may end. XS_WAITS_OWN waits for the call's own operations, which
 * are the points from `own` on. XS_NO_POINT: there is nothing to wait for. */
uint32_t xs_device_wait(struct xs_device *device, const struct xs_model_call *call, enum xs_model_wait wait,
                        uint32_t own);

/* If the point's end is known, sets *end_ns and returns true. Otherwise the thread will be woken when the end is
 * known. */
bool xs_device_end_of(struct xs_device *device, uint32_t point, int32_t thread, int64_t *end_ns);

/* Returns the earliest time at which an operation that has not begun is ready; INT64_MAX: there is none. */
int64_t xs_device_next(const struct xs_device *device);

/* Starts the operation of xs_device_next. After the call, woken[0 .. woken_count - 1] are the threads that waited for a
 * point whose end has become known. */
void xs_device_step(struct xs_device *device);

#endif
