/* stream-churn: a stream was created although the program had just destroyed one that could have been kept. */
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"

enum { ENOUGH = 5 /* pairs of one kind */ };

/* A call that destroyed a stream. */
struct destroyed {
    int64_t row, return_ns;
    uint64_t ns;
};

/* The streams of one context that one function created with the same flags. Each could be used instead of another. */
struct kind {
    struct destroyed *destroyed; /* those that no creation has followed yet, in the order of their calls */
    size_t count, capacity;
    unsigned pairs; /* counted up to ENOUGH; then each further pair is reported at once */
    struct xs_instance waiting[ENOUGH - 1];
};

struct state {
    struct xs_hash kinds;   /* by function, context and flags: struct kind */
    struct xs_hash streams; /* maps the handle of each live stream to its kind */
};

static struct kind *kind_of(struct state *state, const struct xs_trace_event *event) {
    uint64_t function = (uint64_t)(uint32_t)event->entry_point << 32 | (uint32_t)event->context;
    return xs_hash_item(&state->kinds, function, (uint64_t)event->u.api.argument, sizeof(struct kind));
}

static void report(struct xs_detection *detection, const struct xs_instance *instance) {
    xs_report_instance(detection, instance);
    xs_claim_unshared(detection, &instance->removable);
}

/* Takes a creation that follows the end of a stream of its kind. */
static void take_pair(struct xs_detection *detection, const struct xs_trace_event *event, struct kind *kind) {
    const struct destroyed *before = &kind->destroyed[--kind->count];
    struct xs_instance instance = {.site = event->site, .at_ns = event->enter_ns};
    instance.cost.host_ns = xs_sum(xs_event_host_ns(event), before->ns);
    instance.removable = instance.cost;
    xs_add_evidence(&instance, XS_EVIDENCE_API_CALL, event->id, "this stream");
    xs_add_evidence(&instance, XS_EVIDENCE_API_CALL, before->row, "the stream that was destroyed before it");
    if (kind->pairs < ENOUGH - 1) {
        kind->waiting[kind->pairs++] = instance;
        return;
    }
    for (unsigned i = 0; i < kind->pairs && kind->pairs < ENOUGH; i++)
        report(detection, &kind->waiting[i]);
    kind->pairs = ENOUGH;
    report(detection, &instance);
}

static void take_creation(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct kind *kind = kind_of(state, event);
    if (kind->count && kind->destroyed[kind->count - 1].return_ns <= event->enter_ns)
        take_pair(detection, event, kind);
    *xs_hash_put(&state->streams, event->u.api.object, 0) = (uintptr_t)kind;
}

static void take_end(struct state *state, const struct xs_trace_event *event) {
    struct kind *kind = xs_hash_pointer(&state->streams, event->u.api.object, 0);
    if (!kind)
        return;
    xs_hash_remove(&state->streams, event->u.api.object, 0);
    xs_grow_from(4, &kind->destroyed, kind->count, &kind->capacity, sizeof *kind->destroyed);
    kind->destroyed[kind->count++] =
        (struct destroyed){.row = event->id, .return_ns = event->return_ns, .ns = xs_event_host_ns(event)};
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    unsigned traits = event->u.api.traits;
    if (traits & XS_TRAIT_DESTROYS_STREAM && !detection->addresses_recorded)
        xs_undecided(detection, "streams of calls not recorded");
    else if (traits & XS_TRAIT_DESTROYS_STREAM)
        take_end(detection->state, event);
    else if (traits & XS_TRAIT_CREATES_STREAM && detection->addresses_recorded)
        take_creation(detection, event);
}

/* In the gap, a stream may have been created after one that was destroyed before the gap, and a handle may have come to
 * mean another stream. */
static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->streams);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->kinds, entry));)
        ((struct kind *)(uintptr_t)entry->value)->count = 0;
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->kinds, entry));)
        free(((struct kind *)(uintptr_t)entry->value)->destroyed);
    xs_hash_free(&state->kinds);
    xs_hash_free(&state->streams);
}

const struct xs_detector xs_detector_stream_churn = {
    .id = "stream-churn",
    .title = "streams that are destroyed and created again",
    .definition = "The program had just destroyed a stream of the same context and flags, which it could have kept.",
    .remedy = "Create the stream once, before the loop, and use it until the program ends.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_KEEP,
    .wants = XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
