/* small-transfers: a run of small copies from one place that could have been one copy, because nothing between them
 * prevents it. Events that end a run are counted for each device and thread; if a count has changed since the last
 * copy, the run has ended. Memory use grows with the number of call sites, streams and threads. */
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/trace/scan.h"

enum { RUN = 8 };
static const uint64_t small_bytes = 65536;

struct run {
    uint64_t breaks; /* the count of such events at its latest copy */
    uint64_t own_ns; /* time of its copies; device time if known */
    uint64_t claimed_ns;
    int64_t last_transfer;
    struct xs_instance instance;
    struct { /* claims for the first copies, kept until there are enough copies */
        struct xs_account *account;
        struct xs_times times;
    } first[RUN - 1];
};

/* Counts events after which a copy cannot be joined with the copies before them. */
struct device {
    uint64_t launches, uploads, downloads, other_copies;
};

struct state {
    struct xs_hash runs;    /* maps thread, stream, site, direction and device to struct run */
    struct device *devices; /* by ordinal + 1 */
    size_t device_count;
    uint64_t launches_anywhere; /* number of launches on unknown devices */
    struct xs_hash waits;       /* maps thread.id to how often the thread waited, or made a stream wait */
};

static struct device *device_of(struct state *state, int32_t ordinal) {
    return xs_reach(&state->devices, &state->device_count, ordinal < 0 ? 0 : (size_t)ordinal + 1,
                    sizeof *state->devices);
}

static uint64_t breaks_until(struct state *state, const struct xs_trace_event *event) {
    const struct device *device = device_of(state, event->device);
    const uint64_t *waits = xs_hash_find(&state->waits, (uint64_t)(uint32_t)event->thread, 0);
    return device->launches + state->launches_anywhere + device->other_copies +
           (xs_is_upload(event) ? device->downloads : device->uploads) + (waits ? *waits : 0);
}

static struct run *run_of(struct state *state, const struct xs_trace_event *event) {
    uint64_t low = (uint64_t)(uint32_t)event->thread << 32 | (uint32_t)event->stream;
    uint64_t high = (uint64_t)event->site << 32 | (uint64_t)(uint32_t)(event->device + 1) << 1 | xs_is_upload(event);
    return xs_hash_item(&state->runs, low, high, sizeof(struct run));
}

/* Reports a run, or forgets it if it is too short. */
static void end_run(struct xs_detection *detection, struct run *run) {
    struct xs_instance *instance = &run->instance;
    for (unsigned i = 0; i < instance->transfers && instance->transfers < RUN; i++)
        xs_account_release(detection->analysis, run->first[i].account);
    if (instance->transfers >= RUN) {
        xs_add_evidence(instance, XS_EVIDENCE_TRANSFER, run->last_transfer, "the last of the run");
        xs_report_instance(detection, instance);
    }
    instance->transfers = 0;
}

static uint64_t nanoseconds(double ns) { return ns > 0 ? (uint64_t)(ns + 0.5) : 0; }

/* Returns how much of this copy's time is saved if one copy replaces all copies of the run. It is the copy's fixed
 * cost, limited so that what remains of all copies together is at least the time of one copy of all their bytes. */
static uint64_t saved_ns(const struct xs_link_model *link, const struct run *run, const struct xs_transfer_view *t,
                         uint64_t own_ns) {
    enum xs_link_class class = xs_link_class_of(t->direction, t->host_kind);
    if (class == XS_LINK_CLASSES || !link->lines[class].known || run->instance.transfers == 1)
        return 0;
    const struct xs_link_line *line = &link->lines[class];
    double fixed = line->assumed ? (double)own_ns - line->b_ns_per_byte * (double)t->bytes : line->a_ns;
    double left = line->a_ns + line->b_ns_per_byte * (double)run->instance.bytes;
    uint64_t limit = nanoseconds((double)run->own_ns - left - (double)run->claimed_ns), saved = nanoseconds(fixed);
    saved = saved < own_ns ? saved : own_ns;
    return saved < limit ? saved : limit;
}

static void claim_first(struct xs_detection *detection, struct run *run) {
    for (unsigned i = 0; i < RUN - 1; i++) {
        xs_claim(detection, run->first[i].account, &run->first[i].times);
        xs_account_release(detection->analysis, run->first[i].account);
    }
}

static void begin_run(struct run *run, const struct xs_trace_event *event) {
    static const struct xs_times nothing = {.device_known = true, .exposed_known = true};
    run->own_ns = run->claimed_ns = 0;
    xs_instance_of(&run->instance, event, "the first of the run");
    run->instance.transfers = run->instance.bytes = 0;
    run->instance.cost = run->instance.removable = nothing;
}

static void on_small(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct run *run = run_of(state, event);
    struct xs_instance *instance = &run->instance;
    uint64_t breaks = breaks_until(state, event);
    if (instance->transfers && run->breaks != breaks)
        end_run(detection, run);
    if (!instance->transfers)
        begin_run(run, event);
    run->breaks = breaks;
    run->last_transfer = event->id;
    instance->transfers++;
    instance->bytes = xs_sum(instance->bytes, event->u.transfer.bytes);

    struct xs_times times = xs_event_times(event);
    uint64_t own_ns = times.device_known ? times.device_ns : times.host_ns;
    run->own_ns = xs_sum(run->own_ns, own_ns);
    uint64_t saved = saved_ns(detection->link, run, &event->u.transfer, own_ns);
    run->claimed_ns += saved;
    xs_times_add(&instance->cost, &times);
    times = xs_times_share(times, own_ns ? (double)saved / (double)own_ns : 0);
    xs_times_add(&instance->removable, &times);
    if (instance->transfers < RUN) {
        run->first[instance->transfers - 1].account = xs_account_keep(event->account);
        run->first[instance->transfers - 1].times = times;
        return;
    }
    xs_consider(detection, instance);
    if (instance->transfers == RUN)
        claim_first(detection, run);
    xs_claim(detection, event->account, &times);
}

static void on_transfer(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *t = &event->u.transfer;
    if (xs_is_upload(event) || xs_is_download(event)) {
        struct device *device = device_of(state, event->device);
        device->uploads += xs_is_upload(event);
        device->downloads += xs_is_download(event);
        if (t->bytes < small_bytes && t->batch_index < 0) /* a batch of copies is one call already */
            on_small(detection, event);
    } else if (t->direction != XS_DIR_H2H) {
        device_of(state, event->device)->other_copies++;
        device_of(state, t->dst_device)->other_copies++;
    }
}

/* True if the event counts as a launch on an unknown device. A call that may do anything counts, because a launch, a
 * copy or a wait would end a run. */
static bool is_launch_anywhere(const struct xs_trace_event *event) {
    return (event->on == XS_ON_API && event->u.api.traits & XS_TRAIT_DOES_ANYTHING) ||
           (event->on == XS_ON_LAUNCH && event->device < 0);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    if (event->on == XS_ON_TRANSFER)
        on_transfer(detection, event);
    else if (is_launch_anywhere(event))
        state->launches_anywhere++;
    else if (event->on == XS_ON_LAUNCH)
        device_of(state, event->device)->launches++;
    else if (event->on == XS_ON_SYNC || event->u.api.traits & XS_TRAIT_ORDERS_STREAMS)
        ++*xs_hash_put(&state->waits, (uint64_t)(uint32_t)event->thread, 0);
}

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->runs, entry));)
        end_run(detection, (struct run *)(uintptr_t)entry->value);
}

/* Frees the runs that have not ended, if the analysis ended early. */
static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->runs, entry));) {
        struct run *run = (struct run *)(uintptr_t)entry->value;
        for (unsigned k = 0; run->instance.transfers < RUN && k < run->instance.transfers; k++)
            xs_account_release(detection->analysis, run->first[k].account);
    }
    xs_hash_free(&state->runs);
    xs_hash_free(&state->waits);
    free(state->devices);
}

const struct xs_detector xs_detector_small_transfers = {
    .id = "small-transfers",
    .title = "small copies in a row that could be one copy",
    .definition = "At least 8 copies of less than 64 KiB ran in a row from one place, and nothing between them "
                  "prevents one copy.",
    .remedy = "Gather them into one copy, or into one batch call.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_GATHER,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_SYNC) | XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = finish, /* runs end there */
    .finish = finish,
    .end = end,
};
