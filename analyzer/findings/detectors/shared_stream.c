/* shared-stream: threads whose work takes turns on the legacy default stream, although each thread has copies and
 * kernels of its own. Memory use grows with the number of call sites, and of threads that use this stream. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/detectors/repeats.h"

/* What a thread has given a stream. */
struct user {
    bool copies, launches;
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash users; /* by stream identity and thread.id: struct user */
    struct xs_hash last;  /* by stream identity: thread.id of the stream's latest work, plus 1 */
};

static struct user *user_of(struct state *state, int64_t stream, uint64_t thread) {
    return xs_hash_item(&state->users, (uint64_t)stream, thread, sizeof(struct user));
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    int64_t stream = xs_legacy_stream(detection, event->stream);
    if (!stream || xs_calls_are_missing(detection))
        return;
    bool is_copy = event->on == XS_ON_TRANSFER;
    if (is_copy && !xs_is_upload(event) && !xs_is_download(event))
        return;
    struct user *user = user_of(state, stream, (uint64_t)event->thread);
    uint64_t *last = xs_hash_put(&state->last, (uint64_t)stream, 0), before = *last;
    *last = (uint64_t)event->thread + 1;
    user->copies |= is_copy;
    user->launches |= !is_copy;
    if (!is_copy || !user->launches || !before || before == *last)
        return;
    const struct user *other = user_of(state, stream, before - 1);
    if (!other->copies || !other->launches)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this copy");
    xs_repeats_add(&state->repeats, detection, &instance, NULL);
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->last);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_repeats_end(&state->repeats, detection);
    xs_hash_free(&state->users);
    xs_hash_free(&state->last);
}

const struct xs_detector xs_detector_shared_stream = {
    .id = "shared-stream",
    .title = "copies that wait for another thread's work on the default stream",
    .definition = "At least 10 copies of one place on the legacy default stream, each of which came after work of "
                  "another thread, and both threads have copies and kernels there.",
    .remedy = "Give each thread its own stream, or build with `--default-stream per-thread`.",
    .kind = XS_POTENTIAL,
    .repair = XS_REPAIR_OWN_STREAM,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
