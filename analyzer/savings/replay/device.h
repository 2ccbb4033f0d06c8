/* The device during a replay: what was put into its streams, when each of it begins and ends. An operation is ready
 * when what is before it in the order of streams has ended; a copy engine then serves whoever is ready first, whatever
 * the order of the calls was. So an end is known only when time has come to it: the replay moves the device on to where
 * its threads are. */
#ifndef XFERSPY_ANALYZER_REPLAY_DEVICE_H
#define XFERSPY_ANALYZER_REPLAY_DEVICE_H

#include "analyzer/base/hash.h"
#include "analyzer/savings/replay/model.h"

/* Something in a stream with an end: an operation, or a mere point between operations. */
struct xs_point {
    int64_t end_ns;     /* while it is not past, that of what it has waited for so far; 0: nothing */
    int64_t ready_ns;   /* of an operation: when it could begin, first without what it waits for */
    int64_t length_ns;  /* of an operation */
    uint32_t operation; /* XS_NO_OPERATION: a mere point */
    uint32_t awaited;   /* how many points have to end before it is ready, or past */
    uint32_t followers; /* the first edge to those that wait for it */
    int32_t thread;     /* that waits for it; -1: none */
    bool is_past;       /* its end is known */
    bool is_beside;     /* a copy on a stream of its own */
};
#define XS_NO_POINT UINT32_MAX

struct xs_edge {
    uint32_t follower, next;
};

/* The part of a stream. */
struct xs_device_stream {
    uint32_t tail; /* the last point of it; XS_NO_POINT: there was none */
    int32_t device;
    bool is_apart, is_active; /* is_active: it is among the streams whose tail may not be past */
};

struct xs_device {
    const struct xs_model *model;
    struct xs_point *points;
    struct xs_edge *edges;
    uint32_t point_count, point_capacity, edge_count, edge_capacity, free_edge;
    struct xs_device_stream *streams;
    int32_t *active, active_count;
    uint32_t *legacy;               /* by device: the last point of its legacy default stream */
    uint32_t *beside;               /* by device: the last of the downloads on streams of their own */
    int64_t *all, *ordered;         /* by device: the end of what is past, and of that in streams that are not apart */
    int64_t (*engines)[XS_ENGINES]; /* by device: when the engine will be free */
    uint32_t *ready;                /* a heap of operations, by the time at which they are */
    uint32_t ready_count, ready_capacity;
    uint32_t *past, past_count, past_capacity; /* whose followers have to be told */
    int32_t *woken, woken_count, woken_capacity;
    struct xs_hash events; /* handle to the point of its last record, plus 1 */
};

void xs_device_begin(struct xs_device *device, const struct xs_model *model);
void xs_device_end(struct xs_device *device);

/* Puts an operation of the call into its stream; `ready_ns`: not before, whatever it is behind. A copy may be on a
 * stream of its own, beside that one: then an upload waits for nothing, because what it brings is there to be sent; and
 * for a download, which still needs what is before it, only the host waits. */
void xs_device_put(struct xs_device *device, const struct xs_model_call *call, uint32_t operation, int64_t ready_ns,
                   int64_t length_ns, bool beside);

/* What the call does to the order of streams: the recording of an event, or a stream's wait for one. */
void xs_device_order(struct xs_device *device, const struct xs_model_call *call);

/* The point that such a wait waits for, now; for XS_WAITS_OWN of the operations from point `own` on. XS_NO_POINT: for
 * nothing. */
uint32_t xs_device_wait(struct xs_device *device, const struct xs_model_call *call, enum xs_model_wait wait,
                        uint32_t own);

/* Its end, where that is known: true. Else the thread will be woken when it is. */
bool xs_device_end_of(struct xs_device *device, uint32_t point, int32_t thread, int64_t *end_ns);

/* When the first operation that has not begun is ready; INT64_MAX: there is none. */
int64_t xs_device_next(const struct xs_device *device);

/* Lets it begin. Threads that wait for an end that is known now are in woken[0 .. woken_count - 1]. */
void xs_device_step(struct xs_device *device);

#endif
