/* needless-wait: the host waits for its kernels again and again, reads nothing from the device, and goes on with the
 * same stream, which keeps the order by itself. The trace cannot prove that a wait is not needed: it does not show
 * which pageable memory kernels reach, and later work of other streams or processes may rely on the wait. Memory use
 * grows with the number of streams, threads, call sites, and live memory of the host that kernels can reach. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/numbers.h"
#include "analyzer/findings/detectors/repeats.h"

/* The work that a stream was given since the host last waited for it. */
struct stream {
    int32_t context, device;
    int64_t launch;    /* row of its latest launch; 0: none */
    bool needs_a_wait; /* the host may read or change memory that this work uses */
};

/* A wait of a thread that has given no more work yet. */
struct wait {
    bool is_open;
    int64_t stream;    /* the only stream that had work; its identity */
    int64_t return_ns; /* return time of the wait */
    struct xs_instance instance;
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash streams; /* by stream identity: struct stream, if the host has not waited for all of its work */
    struct xs_hash waits;   /* by thread.id: struct wait */
    struct xs_hash host;    /* allocation.id of live host or managed memory that kernels can reach */
    bool is_shared;         /* others may read or write device memory without a call */
};

static bool is_of_host(const struct xs_allocation *allocation) {
    return allocation->kind == XS_MEM_PINNED || allocation->kind == XS_MEM_REGISTERED ||
           allocation->kind == XS_MEM_MANAGED;
}

/* True if the host may read the results of a launch after a wait. */
static bool reaches_host(struct xs_detection *detection, const struct xs_launch_view *launch) {
    const struct state *state = detection->state;
    if (launch->kind != XS_LAUNCH_KERNEL && launch->kind != XS_LAUNCH_COOPERATIVE)
        return true; /* a host function, or a graph, which may have copies */
    for (unsigned i = 0; i < launch->argument_count; i++)
        if (xs_hash_find(&state->host, (uint64_t)launch->arguments[i], 0))
            return true;
    return !launch->arguments_seen && state->host.count;
}

/* True if the host may read what a copy brought, or change what a copy still reads, after a wait. */
static bool is_copy_of_host(const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    bool is_staged = t->direction == XS_DIR_H2D && t->host_kind == XS_MEM_PAGEABLE;
    return t->direction != XS_DIR_D2D && !is_staged;
}

static struct wait *wait_of(struct state *state, int32_t thread) {
    return xs_hash_item(&state->waits, (uint32_t)thread, 0, sizeof(struct wait));
}

static struct stream *stream_of(struct state *state, int64_t stream) {
    return xs_hash_item(&state->streams, (uint64_t)stream, 0, sizeof(struct stream));
}

/* --- work --- */

/* Decides about the wait of a thread that goes on with work in `stream`. */
static void go_on(struct xs_detection *detection, const struct xs_trace_event *event, int64_t stream) {
    struct state *state = detection->state;
    struct wait *wait = wait_of(state, event->thread);
    if (wait->is_open && wait->stream == stream && !xs_is_download(event)) {
        uint64_t pause_ns = (uint64_t)(xs_later(event->enter_ns, wait->return_ns) - wait->return_ns);
        wait->instance.cost.host_ns += pause_ns;
        wait->instance.removable.host_ns += pause_ns;
        xs_repeats_add_host(&state->repeats, detection, &wait->instance, NULL);
    }
    wait->is_open = false;
}

static void take_work(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    int64_t identity = xs_stream_of(detection, event->stream);
    bool is_launch = event->on == XS_ON_LAUNCH, is_copy = event->on == XS_ON_TRANSFER;
    go_on(detection, event, identity);
    struct stream *stream = stream_of(state, identity);
    if (is_copy && !event->is_async) { /* the host waits for it */
        xs_hash_remove(&state->streams, (uint64_t)identity, 0);
        return;
    }
    stream->context = event->context;
    stream->device = event->device;
    stream->launch = is_launch ? event->id : stream->launch;
    stream->needs_a_wait |=
        !identity || (is_launch ? reaches_host(detection, &event->u.launch) : is_copy && is_copy_of_host(event));
}

/* Takes a call that gives no usual work. Waits after the call may be needed if the call writes memory, orders streams,
 * or records an event. The program may read an event's time after a wait. */
static void take_call(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    unsigned traits = event->u.api.traits;
    int64_t identity = xs_stream_of(detection, event->stream);
    if (traits & (XS_TRAIT_SHARES_MEMORY | XS_TRAIT_DOES_ANYTHING))
        state->is_shared = true;
    if (traits & (XS_TRAIT_RECORDS_EVENT | XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_WRITES_VALUE | XS_TRAIT_READS_VALUE |
                  XS_TRAIT_PREFETCHES | XS_TRAIT_DECOMPRESSES))
        stream_of(state, identity)->needs_a_wait = true;
}

/* --- waits --- */

/* True if a wait is for all work of this stream. A wait for an event is not counted: the program may read the event's
 * time after it. */
static bool is_waited_for(const struct xs_detection *detection, const struct xs_trace_event *wait, int64_t identity,
                          const struct stream *stream) {
    switch (wait->u.sync.scope) {
    case XS_SYNC_CONTEXT:
        return !wait->context || !stream->context || wait->context == stream->context;
    case XS_SYNC_STREAM:
        return identity == xs_stream_of(detection, wait->stream);
    case XS_SYNC_EVENT:
        break;
    }
    return false;
}

static void begin_wait(struct xs_detection *detection, const struct xs_trace_event *event, int64_t identity,
                       const struct stream *stream) {
    struct state *state = detection->state;
    uint64_t host_ns = xs_event_host_ns(event);
    uint64_t busy_ns = xs_kernels_between(detection, stream->device, event->enter_ns, event->return_ns);
    struct wait *wait = wait_of(state, event->thread);
    wait->is_open = true;
    wait->stream = identity;
    wait->return_ns = event->return_ns;
    wait->instance = (struct xs_instance){.site = event->site,
                                          .at_ns = event->enter_ns,
                                          .cost = {.host_ns = host_ns},
                                          .removable = {.host_ns = host_ns - xs_least(busy_ns, host_ns)}};
    xs_add_evidence(&wait->instance, XS_EVIDENCE_SYNC, event->id, "this wait");
    xs_add_evidence(&wait->instance, XS_EVIDENCE_LAUNCH, stream->launch, "the latest launch that it waited for");
}

static void take_wait(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    bool needs_it = event->u.sync.copy != NULL || state->is_shared;
    int64_t identity = 0;
    struct stream last = {0};
    unsigned streams = 0;
    for (const struct xs_hash_entry *entry = xs_hash_next(&state->streams, NULL), *next; entry; entry = next) {
        const struct stream *stream = (const struct stream *)(uintptr_t)entry->value;
        next = xs_hash_next(&state->streams, entry);
        if (!is_waited_for(detection, event, (int64_t)entry->low, stream))
            continue;
        streams++;
        identity = (int64_t)entry->low;
        last = *stream;
        needs_it |= stream->needs_a_wait;
        xs_hash_remove(&state->streams, entry->low, 0);
    }
    if (streams)
        wait_of(state, event->thread)->is_open = false;
    if (streams == 1 && last.launch && !needs_it)
        begin_wait(detection, event, identity, &last);
}

/* --- all --- */

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    switch (event->on) {
    case XS_ON_ALLOCATION:
        if (is_of_host(event->u.allocation))
            *xs_hash_put(&state->host, (uint64_t)event->id, 0) = 1;
        break;
    case XS_ON_FREE:
        xs_hash_remove(&state->host, (uint64_t)event->id, 0);
        break;
    case XS_ON_SYNC:
        take_wait(detection, event);
        break;
    case XS_ON_API:
        take_call(detection, event);
        break;
    default:
        take_work(detection, event);
        break;
    }
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->streams);
    xs_hash_free(&state->waits);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    on_gap(detection);
    xs_hash_free(&state->host);
    xs_repeats_end(&state->repeats, detection);
}

const struct xs_detector xs_detector_needless_wait = {
    .id = "needless-wait",
    .title = "waits for kernels whose results the host does not read",
    .definition = "At least 10 waits at one place for kernels of one stream, after each of which the thread gave the "
                  "same stream more work and read nothing; from their begin to that work, the stream had no kernel for "
                  "at least 5 % of the run.",
    .remedy =
        "Drop the wait, unless the host reads what these kernels wrote, or another stream, thread or process goes on "
        "because of it: a stream keeps the order of its own work.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_DROP,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_MEMSET) |
             XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_SYNC) | XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .unsure_verdicts = 1u << 0,
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
