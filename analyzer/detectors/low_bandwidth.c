/* low-bandwidth: a large copy that was slow although it was alone on the link and its host memory is not pageable.
 * Memory use grows with the number of copies that run at the same time. */
#include "analyzer/engine/detector.h"

enum { RUNNING = 64 }; /* looked at; more at one time are in a damaged trace only */
static const uint64_t large_bytes = 1 << 20;

/* A copy that other copies may still meet: none that comes later starts earlier. */
struct running {
    struct xs_instance instance; /* set where it is a candidate only, being large */
    struct xs_account *account;
    bool is_candidate, is_alone;
    int32_t device;
    int64_t end_ns;
};

struct state {
    struct running running[RUNNING];
    size_t count;
};

static bool is_pinned(enum xs_memory_kind kind) { return kind == XS_MEM_PINNED || kind == XS_MEM_REGISTERED; }

/* Best of the trace, or the link's peak where somebody measured more than that. */
static double rate_to_expect(const struct xs_link_model *link, enum xs_direction direction) {
    double best = xs_link_best_rate(link, direction), peak = (double)link->peak_bytes_per_s;
    return peak > 0 && peak < best ? peak : best;
}

static bool is_slow(const struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_interval_view *copy = &event->u.interval;
    double expected_ns = (double)copy->bytes / rate_to_expect(detection->link, copy->direction) * 1e9;
    return copy->transfer && copy->bytes >= large_bytes && is_pinned(copy->host_kind) && !copy->is_box &&
           !copy->is_batch && (double)event->device_ns > 2 * expected_ns;
}

static void decide(struct xs_detection *detection, const struct running *copy) {
    if (!copy->is_candidate)
        return;
    if (copy->is_alone) {
        xs_report_instance(detection, &copy->instance);
        xs_claim(detection, copy->account, &copy->instance.removable);
    }
    xs_account_release(detection->analysis, copy->account);
}

/* Those that ended before `ns` are met by no other. */
static void decide_until(struct xs_detection *detection, int64_t ns) {
    struct state *state = detection->state;
    size_t left = 0;
    for (size_t i = 0; i < state->count; i++) {
        if (state->running[i].end_ns <= ns)
            decide(detection, &state->running[i]);
        else if (left++ != i)
            state->running[left - 1] = state->running[i];
    }
    state->count = left;
}

static void on_interval(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_interval_view *copy = &event->u.interval;
    if (copy->is_kernel)
        return;
    decide_until(detection, event->enter_ns);
    bool is_alone = true;
    for (size_t i = 0; i < state->count; i++) {
        struct running *other = &state->running[i];
        if (other->device == event->device)
            other->is_alone = is_alone = false;
    }
    if (state->count == RUNNING)
        return;
    struct running *this = &state->running[state->count++];
    this->device = event->device;
    this->end_ns = event->return_ns;
    this->is_alone = is_alone;
    this->is_candidate = is_alone && is_slow(detection, event);
    this->account = NULL;
    if (this->is_candidate) {
        uint64_t expected_ns =
            (uint64_t)((double)copy->bytes / rate_to_expect(detection->link, copy->direction) * 1e9 + 0.5);
        xs_instance_of(&this->instance, event, "this copy");
        this->instance.removable = xs_times_less(this->instance.cost, expected_ns);
        this->account = xs_account_keep(event->account);
    }
}

/* Without times on the device nobody can say whether a copy was alone. */
static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    if (event->on == XS_ON_DEVICE_INTERVAL) {
        on_interval(detection, event);
        return;
    }
    const struct xs_transfer_view *t = &event->u.transfer;
    if ((xs_is_upload(event) || xs_is_download(event)) && !event->timed && is_pinned(t->host_kind) &&
        t->bytes >= large_bytes && !t->box.height && t->batch_index < 0)
        xs_undecided(detection, "no device times");
}

static void finish(struct xs_detection *detection) { decide_until(detection, INT64_MAX); }

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->count; i++)
        xs_account_release(detection->analysis, state->running[i].account);
}

#define TOO_SLOW "at less than half of the "
const struct xs_detector xs_detector_low_bandwidth = {
    .id = "low-bandwidth",
    .title = "large copies " TOO_SLOW "expected rate",
    .definition = "A copy of 1 MiB or more was alone on the link, and ran " TOO_SLOW "best rate to be expected.",
    .remedy = "Look at the NUMA node of the host memory, the width of the link, and who else uses it.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_SHORTEN,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_DEVICE_INTERVAL),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .finish = finish,
    .end = end,
};
