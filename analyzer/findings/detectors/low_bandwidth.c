/* low-bandwidth: large copies of one place and size that were slow although they were alone on the link and their host
 * memory is not pageable. Memory use grows with the number of copies that run at the same time, and with the number of
 * places and sizes of such copies. */
#include "analyzer/base/grow.h"
#include "analyzer/findings/engine/detector.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"

enum {
    RUNNING = 64, /* more copies run at the same time only in a damaged trace */
    FEWEST = 5,   /* fewer copies prove nothing */
    BLOCK = 64,   /* number of copies that are tested together, because a link may be slow in a part of the run only */
};
static const uint64_t large_bytes = 1 << 20;
static const double chance = 0.05;

/* A copy that may still overlap with a later one. Copies come in the order of their starts. */
struct running {
    struct xs_instance instance; /* set only for a candidate, which is large */
    struct xs_account *account;
    bool is_candidate, is_alone, is_slow;
    uint64_t key[2];
    int32_t device;
    int64_t end_ns;
};

struct slow {
    struct xs_instance instance;
    struct xs_account *account;
};

/* Copies of one place, device, direction, kind of host memory and size (to a factor of two); at most one block. */
struct group {
    unsigned copies, slow_count;
    size_t slow_capacity;
    struct slow *slow;
    bool was_slow; /* the previous block was slow */
};

struct state {
    struct running running[RUNNING];
    size_t count;
    struct xs_hash groups; /* struct group */
};

static bool is_pinned(enum xs_memory_kind kind) { return kind == XS_MEM_PINNED || kind == XS_MEM_REGISTERED; }

/* Returns the expected rate: the best rate of the trace, but not more than the link's peak. */
static double rate_to_expect(const struct xs_link_model *link, enum xs_direction direction) {
    double best = xs_link_best_rate(link, direction), peak = (double)link->peak_bytes_per_s;
    return peak > 0 && peak < best ? peak : best;
}

static bool is_comparable(const struct xs_interval_view *copy) {
    return copy->transfer && copy->bytes >= large_bytes && is_pinned(copy->host_kind) && !copy->is_box &&
           !copy->is_batch;
}

static void key_of(const struct xs_trace_event *event, uint64_t key[2]) {
    const struct xs_interval_view *copy = &event->u.interval;
    key[0] = (uint64_t)event->site << 32 | (uint32_t)event->device;
    key[1] = (uint64_t)xs_size_class(copy->bytes) << 16 | (uint64_t)copy->direction << 8 | (uint64_t)copy->host_kind;
}

/* Makes a sign test: true if so many copies are slow that it cannot be chance. If a copy were slow with a probability
 * of one half, at least `slow` of `copies` would be slow with the probability that is computed here. */
static bool are_slow(unsigned slow, unsigned copies) {
    double one = 1, sum = 0; /* one: the probability of exactly k heads, times 2^copies */
    for (unsigned k = 0; k <= copies; k++) {
        sum += k >= slow ? one : 0;
        one = one * (copies - k) / (k + 1);
    }
    for (unsigned i = 0; i < copies; i++)
        sum /= 2;
    return copies >= FEWEST && sum <= chance;
}

/* Decides about a complete block, or about the rest at the end of the trace. A rest of too few copies gets the result
 * of the previous block. */
static void judge(struct xs_detection *detection, struct group *group) {
    bool slow = group->copies < FEWEST ? group->was_slow : are_slow(group->slow_count, group->copies);
    for (unsigned i = 0; i < group->slow_count; i++) {
        struct slow *copy = &group->slow[i];
        if (slow) {
            xs_report_instance(detection, &copy->instance);
            xs_claim(detection, copy->account, &copy->instance.removable);
        }
        xs_account_release(detection->analysis, copy->account);
    }
    group->was_slow = slow;
    group->copies = group->slow_count = 0;
}

static void decide(struct xs_detection *detection, const struct running *copy) {
    struct state *state = detection->state;
    if (copy->is_candidate && copy->is_alone) {
        struct group *group = xs_hash_item(&state->groups, copy->key[0], copy->key[1], sizeof *group);
        if (copy->is_slow) {
            xs_grow_from(4, &group->slow, group->slow_count, &group->slow_capacity, sizeof *group->slow);
            group->slow[group->slow_count++] = (struct slow){copy->instance, xs_account_keep(copy->account)};
        }
        if (++group->copies == BLOCK)
            judge(detection, group);
    }
    xs_account_release(detection->analysis, copy->account);
}

/* Decides about the copies that ended before `ns`, because no later copy can overlap with them. */
static void decide_until(struct xs_detection *detection, int64_t ns) {
    struct state *state = detection->state;
    size_t left = 0;
    for (size_t i = 0; i < state->count; i++)
        if (state->running[i].end_ns <= ns)
            decide(detection, &state->running[i]);
        else if (left++ != i)
            state->running[left - 1] = state->running[i];
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
    this->is_candidate = is_alone && is_comparable(copy);
    this->account = NULL;
    if (this->is_candidate) {
        const double most_ns = 9e18; /* limits the time, because a damaged trace can have a link with a rate near 0 */
        double expected_ns =
            fmin((double)copy->bytes / rate_to_expect(detection->link, copy->direction) * 1e9, most_ns);
        key_of(event, this->key);
        this->is_slow = (double)event->device_ns > 2 * expected_ns;
        xs_instance_of(&this->instance, event, "this copy");
        this->instance.removable = xs_times_less(this->instance.cost, (uint64_t)(expected_ns + 0.5));
        this->account = xs_account_keep(event->account);
    }
}

/* Handles an event. Without device times it is not known whether a copy was alone. */
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

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    decide_until(detection, INT64_MAX);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->groups, entry));)
        judge(detection, (struct group *)(uintptr_t)entry->value);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->count; i++)
        xs_account_release(detection->analysis, state->running[i].account);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->groups, entry));) {
        struct group *group = (struct group *)(uintptr_t)entry->value;
        for (unsigned i = 0; i < group->slow_count; i++)
            xs_account_release(detection->analysis, group->slow[i].account);
        free(group->slow);
    }
    xs_hash_free(&state->groups);
}

const struct xs_detector xs_detector_low_bandwidth = {
    .id = "low-bandwidth",
    .title = "large copies at less than half of the expected rate",
    .definition = "A copy of 1 MiB or more was alone on the link, and ran at less than half of the best expected rate, "
                  "like most copies of its place and size.",
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
