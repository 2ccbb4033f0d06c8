/* mapped-reads: kernels that are given the same page-locked host memory again and again, and run for as long as the
 * link takes to move it. Memory use grows with the number of launches whose kernels have not been seen yet, up to
 * PENDING of them, and with the number of allocations that are used like this. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/hash.h"
#include "analyzer/trace/scan.h"

/* Memory counts if it has at least LEAST_BYTES. A kernel that is more than TIMES times as fast as the link has not used
 * most of the memory. A kernel that takes more than PASSES times the link's time probably computes, so it does not wait
 * for the memory. */
enum { LEAST_BYTES = 1 << 20, TIMES = 2, PASSES = 8, PENDING = 1 << 16 };

/* Live page-locked memory. */
struct pinned {
    uint64_t bytes;
    uint32_t site;
    bool was_given; /* a launch was given it */
};

/* A launch that was given page-locked memory that an earlier launch was given, too. */
struct given {
    int64_t launch, at_ns, allocation;
    uint64_t bytes;
    uint32_t site; /* site of the allocation */
};

struct state {
    struct xs_hash pinned;  /* by allocation.id: struct pinned */
    struct xs_hash owed;    /* by allocation.id: the time of its copy that no instance has paid yet, plus 1 */
    struct xs_hash pending; /* by correlation number: struct given, until the kernel is seen */
    struct {
        uint64_t correlation;
        int64_t launch;
    } latest[PENDING]; /* the launches that were added last to `pending`, in a ring */
    size_t added;      /* number of launches that were added */
};

/* Gives up the launch that was added PENDING launches ago. The device does not queue so many launches, so the record of
 * this launch's kernel is missing. */
static void give_up(struct xs_detection *detection, size_t slot) {
    struct state *state = detection->state;
    uint64_t correlation = state->latest[slot].correlation;
    const struct given *given = xs_hash_pointer(&state->pending, correlation, 0);
    if (!given || given->launch != state->latest[slot].launch)
        return;
    xs_hash_remove(&state->pending, correlation, 0);
    xs_undecided(detection, "no device times");
}

static void await(struct xs_detection *detection, uint64_t correlation, const struct given *given) {
    struct state *state = detection->state;
    size_t slot = state->added++ % PENDING;
    give_up(detection, slot);
    state->latest[slot].correlation = correlation;
    state->latest[slot].launch = given->launch;
    *(struct given *)xs_hash_item(&state->pending, correlation, 0, sizeof *given) = *given;
}

static void take_launch(struct xs_detection *detection, const struct xs_trace_event *launch) {
    struct state *state = detection->state;
    struct given given = {.launch = launch->id, .at_ns = launch->enter_ns};
    for (unsigned i = 0; i < launch->u.launch.argument_count; i++) {
        int64_t allocation = launch->u.launch.arguments[i];
        struct pinned *pinned = xs_hash_pointer(&state->pinned, (uint64_t)allocation, 0);
        if (!pinned)
            continue;
        if (pinned->was_given) {
            given.bytes = xs_sum(given.bytes, pinned->bytes);
            given.allocation = allocation;
            given.site = pinned->site;
        }
        pinned->was_given = true;
    }
    if (given.bytes && launch->correlation)
        await(detection, launch->correlation, &given);
    else if (given.bytes)
        xs_undecided(detection, "no device times");
}

/* Subtracts the time of one copy of the memory to the device from the times of the first instances of this memory. */
static struct xs_times less_the_copy(struct state *state, int64_t allocation, struct xs_times times, uint64_t copy_ns) {
    uint64_t *owed = xs_hash_put(&state->owed, (uint64_t)allocation, 0);
    if (!*owed)
        *owed = copy_ns + 1;
    uint64_t pays_ns = *owed - 1 < times.device_ns ? *owed - 1 : times.device_ns;
    *owed -= pays_ns;
    return xs_times_less(times, pays_ns);
}

static void take_kernel(struct xs_detection *detection, const struct xs_trace_event *kernel) {
    struct state *state = detection->state;
    const struct given *given = xs_hash_pointer(&state->pending, kernel->correlation, 0);
    if (!given)
        return;
    uint64_t ran_ns = (uint64_t)kernel->return_ns - (uint64_t)kernel->enter_ns;
    uint64_t link_ns = xs_link_ns(detection->link, XS_LINK_H2D_PINNED, given->bytes);
    uint64_t device_ns = xs_link_ns(detection->link, XS_LINK_D2D, given->bytes);
    if (link_ns && ran_ns >= link_ns / TIMES && ran_ns / PASSES <= link_ns) {
        struct xs_times times = {
            .device_ns = ran_ns, .exposed_ns = ran_ns, .device_known = true, .exposed_known = true};
        struct xs_instance instance = {
            .site = given->site,
            .at_ns = given->at_ns,
            .bytes = given->bytes,
            .cost = times,
            .removable = less_the_copy(state, given->allocation, xs_times_less(times, device_ns), link_ns)};
        xs_add_evidence(&instance, XS_EVIDENCE_LAUNCH, given->launch, "the launch that was given the memory again");
        xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, given->allocation, "the page-locked memory");
        xs_report_instance(detection, &instance);
    }
    xs_hash_remove(&state->pending, kernel->correlation, 0);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    switch (event->on) {
    case XS_ON_ALLOCATION:
        if (a->kind == XS_MEM_PINNED && a->bytes >= LEAST_BYTES)
            *(struct pinned *)xs_hash_item(&state->pinned, (uint64_t)a->id, 0, sizeof(struct pinned)) =
                (struct pinned){a->bytes, a->site, false};
        break;
    case XS_ON_FREE:
        xs_hash_remove(&state->pinned, (uint64_t)a->id, 0);
        break;
    case XS_ON_LAUNCH:
        if (state->pinned.count)
            take_launch(detection, event);
        break;
    default:
        if (event->u.interval.is_kernel && event->return_ns >= event->enter_ns)
            take_kernel(detection, event);
    }
}

static void finish(struct xs_detection *detection) {
    const struct state *state = detection->state;
    for (size_t i = 0; i < state->pending.count; i++)
        xs_undecided(detection, "no device times");
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->pinned);
    xs_hash_free(&state->owed);
    xs_hash_free(&state->pending);
}

const struct xs_detector xs_detector_mapped_reads = {
    .id = "mapped-reads",
    .title = "kernels that use the same page-locked host memory again and again",
    .definition = "A kernel was given page-locked host memory of at least 1 MiB that an earlier launch was given, too, "
                  "and ran for at least half the time that the link takes to move it.",
    .remedy = "Copy the data to device memory once, and again only when it changes, and give the kernels that memory.",
    .kind = XS_POTENTIAL,
    .repair = XS_REPAIR_SHORTEN,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_DEVICE_INTERVAL),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .finish = finish,
    .end = end,
};
