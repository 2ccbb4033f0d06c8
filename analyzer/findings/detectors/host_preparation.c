/* host-preparation: the host works for some time before an upload, again and again, probably to make its data. Memory
 * use grows with the number of call sites and of threads. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/numbers.h"
#include "analyzer/findings/detectors/repeats.h"
#include "analyzer/trace/scan.h"

/* Work counts if it takes at least LEAST_NS, and at least the time of the upload's call divided by TIMES_THE_WORK. The
 * upload must have at least LEAST_BYTES. */
enum { LEAST_NS = 100000, LEAST_BYTES = 4096, TIMES_THE_WORK = 4 };

/* The work that counts is limited to this many times the work before the place's previous upload. A longer pause has
 * another reason: the program imports a library, writes a checkpoint or begins an epoch. */
enum { TIMES_THE_LAST = 2 };

/* The latest calls of a thread. */
struct latest {
    int64_t return_ns; /* return time of its latest call that is no allocation and no free */
    uint64_t calls_ns; /* its time in allocations and frees since then */
    bool is_download;  /* a download, or a wait for it: what follows is `host-work` */
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash latest;  /* by thread.id: struct latest */
    struct xs_hash work_ns; /* by site: the work before its latest upload that had enough of it */
};

static bool brings_data(const struct xs_trace_event *event) {
    const struct xs_trace_event *copy = event->on == XS_ON_SYNC ? event->u.sync.copy : event;
    return copy && xs_is_download(copy);
}

/* Returns the program's own time between the thread's latest call and this upload. */
static uint64_t work_before(const struct xs_detection *detection, const struct latest *latest,
                            const struct xs_trace_event *upload) {
    const struct xs_transfer_view *t = &upload->u.transfer;
    if (!latest->return_ns || upload->enter_ns <= latest->return_ns || !xs_is_of_user(detection, upload))
        return 0;
    uint64_t ns = (uint64_t)upload->enter_ns - (uint64_t)latest->return_ns, others_ns = latest->calls_ns;
    /* CuPy copies the data into page-locked memory before an upload. */
    if (t->host_kind == XS_MEM_PINNED && xs_called_framework(detection, upload) == XS_FRAMEWORK_CUPY)
        others_ns = xs_sum(others_ns, (uint64_t)((double)t->bytes * XS_STAGING_NS_PER_BYTE));
    return ns > others_ns ? ns - others_ns : 0;
}

static void on_upload(struct xs_detection *detection, const struct xs_trace_event *upload, uint64_t work_ns) {
    struct state *state = detection->state;
    if (upload->u.transfer.bytes < LEAST_BYTES || work_ns < LEAST_NS ||
        work_ns < xs_event_host_ns(upload) / TIMES_THE_WORK)
        return;
    uint64_t *last_ns = xs_hash_put(&state->work_ns, upload->site, 0), last = *last_ns;
    *last_ns = work_ns;
    if (!last) /* what comes before the place's first upload may be done only once */
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, upload, "this upload");
    instance.cost = (struct xs_times){.host_ns = work_ns / TIMES_THE_LAST > last ? last * TIMES_THE_LAST : work_ns};
    instance.removable = instance.cost;
    xs_repeats_add_host(&state->repeats, detection, &instance, NULL);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct latest *latest = xs_hash_item(&state->latest, (uint64_t)event->thread, 0, sizeof *latest);
    if (event->on == XS_ON_ALLOCATION || event->on == XS_ON_FREE) {
        latest->calls_ns = xs_sum(latest->calls_ns, xs_event_host_ns(event));
        return;
    }
    if (xs_is_upload(event) && !latest->is_download)
        on_upload(detection, event, work_before(detection, latest, event));
    *latest =
        (struct latest){.return_ns = xs_later(event->return_ns, latest->return_ns), .is_download = brings_data(event)};
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->latest);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    on_gap(detection);
    xs_hash_free(&state->work_ns);
    xs_repeats_end(&state->repeats, detection);
}

const struct xs_detector xs_detector_host_preparation = {
    .id = "host-preparation",
    .title = "work of the host before an upload while the device waits",
    .definition = "At least 10 uploads of at least 4 KiB at one place, before each of which the thread worked for at "
                  "least 100 us and a quarter of the upload's time, together for at least 5 % of the run.",
    .remedy = "Upload what the host had before this work, and do the work on the device; or prepare the next data "
              "while the device works.",
    .kind = XS_POTENTIAL,
    .repair = XS_REPAIR_PREPARE_ON_DEVICE,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) |
             XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_SYNC) | XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
