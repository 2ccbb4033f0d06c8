/* Simulates the streams, engines and events of a replay; see replay_device.h. */
#include "analyzer/savings/replay/replay_device.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"

/* Returns one number of a point for each device, which says that there is no point. */
static uint32_t *no_points(size_t devices) {
    uint32_t *items = xs_zeroed(devices, sizeof *items);
    memset(items, 0xff, devices * sizeof *items);
    return items;
}

void xs_device_begin(struct xs_device *d, const struct xs_model *model) {
    size_t streams = (size_t)model->streams, devices = (size_t)model->devices;
    *d = (struct xs_device){.model = model,
                            .free_edge = UINT32_MAX,
                            .streams = xs_zeroed(streams, sizeof *d->streams),
                            .active = xs_zeroed(streams, sizeof *d->active),
                            .legacy = no_points(devices),
                            .beside = no_points(devices),
                            .latest = no_points((size_t)model->threads),
                            .all = xs_zeroed(devices, sizeof *d->all),
                            .ordered = xs_zeroed(devices, sizeof *d->ordered),
                            .engines = xs_zeroed(devices, sizeof *d->engines)};
    for (size_t i = 0; i < streams; i++)
        d->streams[i].tail = XS_NO_POINT;
}

void xs_device_end(struct xs_device *d) {
    free(d->points);
    free(d->edges);
    free(d->streams);
    free(d->active);
    free(d->legacy);
    free(d->beside);
    free(d->latest);
    free(d->all);
    free(d->ordered);
    free(d->engines);
    xs_heap_free(&d->ready);
    free(d->past);
    free(d->woken);
    xs_hash_free(&d->events);
    *d = (struct xs_device){0};
}

/* --- points --- */

static uint32_t new_point(struct xs_device *d, uint32_t operation) {
    xs_grow(&d->points, d->point_count, &d->point_capacity, sizeof *d->points);
    d->points[d->point_count] =
        (struct xs_point){.operation = operation, .followers = UINT32_MAX, .thread = -1, .awaited = 1};
    return d->point_count++;
}

/* Makes `point` wait for `before`. */
static void follow(struct xs_device *d, uint32_t point, uint32_t before) {
    if (before == XS_NO_POINT)
        return;
    struct xs_point *p = &d->points[point], *b = &d->points[before];
    if (b->is_past) {
        p->end_ns = xs_later(p->end_ns, b->end_ns);
        return;
    }
    uint32_t edge = d->free_edge;
    if (edge != UINT32_MAX) {
        d->free_edge = d->edges[edge].next;
    } else {
        xs_grow(&d->edges, d->edge_count, &d->edge_capacity, sizeof *d->edges);
        edge = d->edge_count++;
    }
    d->edges[edge] = (struct xs_edge){.follower = point, .next = b->followers};
    b->followers = edge;
    p->awaited++;
}

static void is_past_now(struct xs_device *d, uint32_t point) {
    d->points[point].is_past = true;
    xs_grow(&d->past, d->past_count, &d->past_capacity, sizeof *d->past);
    d->past[d->past_count++] = point;
}

/* Records that one of the things for which the point waits has ended. Each point also waits for its own creation to be
 * complete. */
static void arrive(struct xs_device *d, uint32_t point) {
    struct xs_point *p = &d->points[point];
    if (--p->awaited)
        return;
    if (p->operation == XS_NO_OPERATION) {
        is_past_now(d, point);
        return;
    }
    if (p->end_ns)
        p->ready_ns = xs_model_ns(xs_later(p->ready_ns, p->end_ns + p->gap_ns));
    xs_heap_push(&d->ready, (struct xs_heap_item){p->ready_ns, point, point});
}

static void tell_followers(struct xs_device *d) {
    while (d->past_count) {
        struct xs_point p = d->points[d->past[--d->past_count]];
        if (p.thread >= 0) {
            xs_grow(&d->woken, (size_t)d->woken_count, &d->woken_capacity, sizeof *d->woken);
            d->woken[d->woken_count++] = p.thread;
        }
        for (uint32_t edge = p.followers, next; edge != UINT32_MAX; edge = next) {
            uint32_t follower = d->edges[edge].follower;
            next = d->edges[edge].next;
            d->edges[edge].next = d->free_edge;
            d->free_edge = edge;
            d->points[follower].end_ns = xs_later(d->points[follower].end_ns, p.end_ns);
            arrive(d, follower);
        }
    }
}

static uint32_t made(struct xs_device *d, uint32_t point) {
    arrive(d, point);
    tell_followers(d);
    return point;
}

/* --- streams --- */

/* Makes the point wait for all streams of the device, or only for those that are ordered with its legacy default
 * stream. */
static void follow_streams(struct xs_device *d, uint32_t point, int32_t device, bool only_ordered) {
    int64_t past = (only_ordered ? d->ordered : d->all)[device];
    d->points[point].end_ns = xs_later(d->points[point].end_ns, past);
    int32_t kept = 0;
    for (int32_t i = 0; i < d->active_count; i++) {
        struct xs_device_stream *s = &d->streams[d->active[i]];
        const struct xs_point *tail = &d->points[s->tail];
        s->is_active = !tail->is_past;
        if (s->is_active)
            d->active[kept++] = d->active[i];
        else if (!s->is_apart) /* the stream's end may also come from a wait for another device's event */
            d->ordered[s->device] = xs_later(d->ordered[s->device], tail->end_ns);
        if (s->device == device && !(only_ordered && s->is_apart))
            follow(d, point, s->tail);
    }
    d->active_count = kept;
}

/* Makes the point wait for what the legacy default stream orders before new work in the call's stream. */
static void follow_default(struct xs_device *d, uint32_t point, const struct xs_model_call *call) {
    if (call->is_legacy)
        follow_streams(d, point, call->device, true);
    else if (!call->is_apart)
        follow(d, point, d->legacy[call->device]);
}

/* Makes the point the last one of the call's stream. */
static void append(struct xs_device *d, uint32_t point, const struct xs_model_call *call, bool is_behind) {
    struct xs_device_stream *s = &d->streams[call->stream];
    if (!is_behind &&
        s->tail !=
            XS_NO_POINT) { /* a new mark waits for both points, because the end of a past point may lie in the future */
        uint32_t both = new_point(d, XS_NO_OPERATION);
        follow(d, both, s->tail);
        follow(d, both, point);
        point = made(d, both);
    }
    s->tail = point;
    s->device = call->device;
    s->is_apart = call->is_apart;
    if (!s->is_active) {
        s->is_active = true;
        d->active[d->active_count++] = call->stream;
    }
    if (call->is_legacy)
        d->legacy[call->device] = point;
}

/* Adds a download to the side stream. A wait for it is also a wait for the downloads before it. */
static void append_beside(struct xs_device *d, uint32_t point, int32_t device) {
    uint32_t both = new_point(d, XS_NO_OPERATION);
    follow(d, both, d->beside[device]);
    follow(d, both, point);
    d->beside[device] = made(d, both);
}

void xs_device_put(struct xs_device *d, const struct xs_model_call *call, uint32_t operation, int64_t ready_ns,
                   int64_t length_ns, int64_t gap_ns, bool beside) {
    const struct xs_model_operation *o = &d->model->operations[operation];
    bool is_early = beside && o->engine == XS_ENGINE_H2D, is_left = beside && o->engine == XS_ENGINE_D2H;
    uint32_t point = new_point(d, operation);
    d->points[point].ready_ns = xs_model_ns(ready_ns);
    d->points[point].length_ns = length_ns;
    d->points[point].gap_ns = gap_ns;
    d->points[point].is_beside = is_left;
    if (o->behind_stream && !is_early)
        follow(d, point, d->streams[call->stream].tail);
    if (o->behind_default && !is_early)
        follow_default(d, point, call);
    if (call->behind)
        follow(d, point, d->streams[call->behind].tail);
    if (is_left)
        append_beside(d, point, call->device);
    else
        append(d, point, call, o->behind_stream && !is_early);
    d->latest[call->thread] = point;
    made(d, point);
}

void xs_device_order(struct xs_device *d, const struct xs_model_call *call) {
    if (call->kind != XS_MODEL_RECORD && call->kind != XS_MODEL_WAIT_EVENT)
        return;
    uint32_t point = new_point(d, XS_NO_OPERATION);
    follow(d, point, d->streams[call->stream].tail);
    follow_default(d, point, call); /* in the legacy default stream, a record or a wait delays other streams, too */
    if (call->kind == XS_MODEL_RECORD) {
        *xs_hash_put(&d->events, call->object, 0) = (uint64_t)point + 1;
    } else {
        const uint64_t *event = xs_hash_find(&d->events, call->object, 0);
        follow(d, point, event ? (uint32_t)*event - 1 : XS_NO_POINT);
    }
    append(d, point, call, true);
    made(d, point);
}

uint32_t xs_device_wait(struct xs_device *d, const struct xs_model_call *call, enum xs_model_wait wait, uint32_t own) {
    if (wait == XS_WAITS_NOT)
        return XS_NO_POINT;
    uint32_t point = new_point(d, XS_NO_OPERATION);
    switch (wait) {
    case XS_WAITS_OWN:
        for (uint32_t i = own; i < point; i++)
            if (d->points[i].operation != XS_NO_OPERATION)
                follow(d, point, i);
        break;
    case XS_WAITS_STREAM:
        follow(d, point, d->streams[call->stream].tail);
        if (call->is_legacy) /* if other streams wait for this stream, their own points show that already */
            follow_default(d, point, call);
        follow(d, point, d->beside[call->device]);
        break;
    case XS_WAITS_LATEST:
        follow(d, point, d->latest[call->thread]);
        follow(d, point, d->beside[call->device]);
        break;
    case XS_WAITS_EVENT: {
        const uint64_t *event = xs_hash_find(&d->events, call->object, 0);
        follow(d, point, event ? (uint32_t)*event - 1 : XS_NO_POINT);
        break;
    }
    case XS_WAITS_DEVICE:
        follow_streams(d, point, call->device, false);
        follow(d, point, d->beside[call->device]);
        break;
    case XS_WAITS_NOT:
        break;
    }
    return made(d, point);
}

/* --- time --- */

bool xs_device_end_of(struct xs_device *d, uint32_t point, int32_t thread, int64_t *end_ns) {
    *end_ns = point == XS_NO_POINT ? 0 : d->points[point].end_ns;
    if (point == XS_NO_POINT || d->points[point].is_past)
        return true;
    d->points[point].thread = thread;
    return false;
}

int64_t xs_device_next(const struct xs_device *d) { return xs_heap_next(&d->ready); }

void xs_device_step(struct xs_device *d) {
    uint32_t point = (uint32_t)xs_heap_pop(&d->ready);
    struct xs_point *p = &d->points[point];
    const struct xs_model_operation *o = &d->model->operations[p->operation];
    const struct xs_model_call *call = &d->model->calls[o->call];
    int64_t *engine = &d->engines[o->device][o->engine], start = p->ready_ns;
    if (o->behind_engine && *engine)
        start = xs_later(start, *engine + o->engine_gap_ns);
    p->end_ns = xs_model_ns(start + p->length_ns);
    *engine = xs_later(*engine, p->end_ns);
    d->all[call->device] = xs_later(d->all[call->device], p->end_ns);
    if (!call->is_apart && !p->is_beside)
        d->ordered[call->device] = xs_later(d->ordered[call->device], p->end_ns);
    d->woken_count = 0;
    is_past_now(d, point);
    tell_followers(d);
}
