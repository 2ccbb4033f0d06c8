/* host-preparation: the host works for some time before an upload, again and again, probably to make its data. Memory
 * use grows with the number of call sites and of threads. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/numbers.h"
#include "analyzer/findings/detectors/repeats.h"

/* The shortest work that counts, also in comparison with the upload's call: a part of one in TIMES_THE_WORK. */
enum { LEAST_NS = 100000, LEAST_BYTES = 4096, TIMES_THE_WORK = 4 };

/* A thread's latest call. */
struct latest {
    int64_t return_ns;
    bool is_download; /* a download, or a wait for it: what follows is `host-work` */
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash latest; /* by thread.id: struct latest */
};

static bool brings_data(const struct xs_trace_event *event) {
    const struct xs_trace_event *copy = event->on == XS_ON_SYNC ? event->u.sync.copy : event;
    return copy && xs_is_download(copy);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct latest *latest = xs_hash_item(&state->latest, (uint64_t)event->thread, 0, sizeof *latest);
    struct latest before = *latest;
    *latest = (struct latest){xs_later(event->return_ns, before.return_ns), brings_data(event)};
    if (!before.return_ns || before.is_download || !xs_is_upload(event) || event->u.transfer.bytes < LEAST_BYTES)
        return;
    if (event->enter_ns <= before.return_ns)
        return;
    uint64_t work_ns = (uint64_t)event->enter_ns - (uint64_t)before.return_ns;
    if (work_ns < LEAST_NS || work_ns < xs_event_host_ns(event) / TIMES_THE_WORK)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this upload");
    instance.cost = (struct xs_times){.host_ns = work_ns};
    instance.removable = instance.cost;
    xs_repeats_add_host(&state->repeats, detection, &instance, NULL);
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->latest);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    on_gap(detection);
    xs_repeats_end(&state->repeats, detection);
}

const struct xs_detector xs_detector_host_preparation = {
    .id = "host-preparation",
    .title = "work of the host before an upload while the device waits",
    .definition = "At least 10 uploads of at least 4 KiB at one place, before each of which the thread worked for at "
                  "least 100 us and a quarter of the upload's time, together for at least 5 % of the run.",
    .remedy = "Upload what the host had before this work, and do the work on the device; or prepare the next data "
              "while the device works.",
    .kind = XS_ADVICE,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_SYNC) |
             XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
