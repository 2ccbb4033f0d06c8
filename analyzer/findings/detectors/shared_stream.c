/* shared-stream: threads whose work takes turns on the legacy default stream, although each thread has kernels of its
 * own, and copies or waits. Memory use grows with the number of call sites, and of threads that use this stream. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/detectors/repeats.h"

/* The work that a thread gave to a stream, and whether the thread has waited for the stream. */
struct user {
    bool copies, launches, waits;
    uint64_t given; /* how much work it has given the stream since it counts as one that takes turns */
    uint64_t seen;  /* how much work of others there was at its latest wait */
};

struct stream {
    uint64_t last;  /* thread.id of the latest work, plus 1; 0: unknown */
    uint64_t given; /* work of all threads that take turns */
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash users;   /* by stream identity and thread.id: struct user */
    struct xs_hash streams; /* by stream identity: struct stream */
};

static struct user *user_of(struct state *state, int64_t stream, uint64_t thread) {
    return xs_hash_item(&state->users, (uint64_t)stream, thread, sizeof(struct user));
}

static bool takes_turns(const struct user *user) { return user->launches && (user->copies || user->waits); }

/* Handles a copy or a launch. */
static void take_work(struct xs_detection *detection, const struct xs_trace_event *event, int64_t identity) {
    struct state *state = detection->state;
    bool is_copy = event->on == XS_ON_TRANSFER;
    struct stream *stream = xs_hash_item(&state->streams, (uint64_t)identity, 0, sizeof *stream);
    struct user *user = user_of(state, identity, (uint64_t)event->thread);
    uint64_t before = stream->last;
    stream->last = (uint64_t)event->thread + 1;
    user->copies |= is_copy;
    user->launches |= !is_copy;
    if (takes_turns(user)) {
        user->given++;
        stream->given++;
    }
    if (!is_copy || !user->launches || !before || before == stream->last)
        return;
    const struct user *other = user_of(state, identity, before - 1);
    if (!other->copies || !other->launches)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this copy");
    xs_repeats_add(&state->repeats, detection, &instance, NULL);
}

/* Handles a wait for the stream. Threads with copies are found by their copies. */
static void take_wait(struct xs_detection *detection, const struct xs_trace_event *event, int64_t identity) {
    struct state *state = detection->state;
    struct stream *stream = xs_hash_item(&state->streams, (uint64_t)identity, 0, sizeof *stream);
    struct user *user = user_of(state, identity, (uint64_t)event->thread);
    uint64_t of_others = stream->given - user->given;
    bool is_new = of_others > user->seen;
    user->waits = true;
    user->seen = of_others;
    if (!is_new || !user->launches || user->copies)
        return;
    struct xs_instance instance = {.site = event->site, .at_ns = event->enter_ns};
    instance.cost.host_ns = xs_event_host_ns(event);
    instance.removable = instance.cost;
    xs_add_evidence(&instance, XS_EVIDENCE_SYNC, event->id, "this wait");
    xs_repeats_add(&state->repeats, detection, &instance, NULL);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    int64_t identity = xs_legacy_stream(detection, event->stream);
    if (!identity || xs_calls_are_missing(detection))
        return;
    if (event->on == XS_ON_SYNC && event->u.sync.scope == XS_SYNC_STREAM)
        take_wait(detection, event, identity);
    else if (event->on == XS_ON_LAUNCH ||
             (event->on == XS_ON_TRANSFER && (xs_is_upload(event) || xs_is_download(event))))
        take_work(detection, event, identity);
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->streams, entry));)
        ((struct stream *)(uintptr_t)entry->value)->last = 0;
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_repeats_end(&state->repeats, detection);
    xs_hash_free(&state->users);
    xs_hash_free(&state->streams);
}

const struct xs_detector xs_detector_shared_stream = {
    .id = "shared-stream",
    .title = "copies or waits behind another thread's work on the default stream",
    .definition = "At least 10 copies of one place on the legacy default stream, each of which came after work of "
                  "another thread, and both threads have copies and kernels there. Or at least 10 waits of one place "
                  "for this stream, where both threads have kernels and waits.",
    .remedy = "Give each thread its own stream, or build with `--default-stream per-thread`.",
    .kind = XS_POTENTIAL,
    .repair = XS_REPAIR_OWN_STREAM,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_SYNC),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
