/* no-overlap: copies and kernels that ran alternately although neither depended on the other. stretches.c finds pairs
 * of copies and kernels on one device. This file decides whether there are enough of them to report. */
#include "analyzer/base/grow.h"
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/findings/detectors/stretches.h"

enum {
    ENOUGH_PAIRS = 3,
    ENOUGH_NS = 100000,
    RUN_SHARE =
        1000, /* the pairs must save at least one part in this many of the run; smaller causes are not shown by name */
    LAUNCHES = 65536, /* launches that are kept until their kernels run; arguments of older ones count as not seen */
    WAITING = 65536,  /* pairs that are kept until there are enough of them */
    DEVICES = 4096,
};

struct launch {
    uint32_t correlation; /* 0: none */
    struct xs_stretch_launch launch;
};

struct state {
    struct xs_stretches **devices; /* by ordinal */
    size_t device_count;
    struct launch *launches; /* indexed by the last bits of their correlation number */
    struct xs_stretch_pair *waiting;
    size_t waiting_count, waiting_capacity;
    bool enough;
    uint64_t pairs, ns, undecided, undecided_ns;
    struct xs_detection *detection;
};

static bool are_enough(uint64_t pairs, uint64_t ns, uint64_t run_ns) {
    return pairs >= ENOUGH_PAIRS && ns >= ENOUGH_NS && run_ns && ns >= run_ns / RUN_SHARE + (run_ns % RUN_SHARE != 0);
}

static void report(struct xs_detection *detection, const struct xs_stretch_pair *pair) {
    struct xs_instance instance = {
        .site = pair->site,
        .at_ns = pair->call_ns,
        .transfers = pair->copies,
        .bytes = pair->bytes,
        .cost = {.device_ns = pair->copy_ns, .exposed_ns = pair->copy_ns, .device_known = true, .exposed_known = true},
        .removable = {.device_ns = pair->ns, .exposed_ns = pair->ns, .device_known = true, .exposed_known = true}};
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, pair->transfer, "this copy");
    xs_add_evidence(&instance, XS_EVIDENCE_LAUNCH, pair->launch, "the kernel next to it");
    xs_report_instance(detection, &instance);
}

static void hold(struct state *state, const struct xs_stretch_pair *pair) {
    if (state->waiting_count == WAITING)
        return;
    xs_grow(&state->waiting, state->waiting_count, &state->waiting_capacity, sizeof *state->waiting);
    state->waiting[state->waiting_count++] = *pair;
}

static void report_if_enough(struct state *state) {
    if (!are_enough(state->pairs, state->ns, state->detection->run_ns))
        return;
    for (size_t i = 0; i < state->waiting_count; i++)
        report(state->detection, &state->waiting[i]);
    state->waiting_count = 0;
    state->enough = true;
}

static void on_pair(void *context, const struct xs_stretch_pair *pair) {
    struct state *state = context;
    if (!pair->decided) {
        state->undecided++;
        state->undecided_ns += pair->ns;
        return;
    }
    state->pairs++;
    state->ns += pair->ns;
    if (state->enough) {
        report(state->detection, pair);
        return;
    }
    hold(state, pair);
    report_if_enough(state);
}

static struct xs_stretches *stretches_of(struct state *state, int32_t device) {
    struct xs_stretches **stretches =
        xs_reach(&state->devices, &state->device_count, (size_t)device, sizeof(struct xs_stretches *));
    if (!*stretches) {
        *stretches = xs_realloc(NULL, sizeof **stretches);
        xs_stretches_begin(*stretches, on_pair, state);
    }
    return *stretches;
}

static void take_launch(struct state *state, const struct xs_trace_event *event) {
    const struct xs_launch_view *launch = &event->u.launch;
    if (!event->correlation)
        return;
    if (!state->launches)
        state->launches = xs_zeroed(LAUNCHES, sizeof *state->launches);
    state->launches[event->correlation % LAUNCHES] =
        (struct launch){event->correlation,
                        {.id = event->id,
                         .enter_ns = event->enter_ns,
                         .arguments = launch->arguments,
                         .argument_count = launch->arguments_seen ? launch->argument_count : 0,
                         .arguments_seen = launch->arguments_seen}};
}

/* True if the arguments of launches show which kernels depend on the memory. They do not show it for arrays, which
 * kernels access through handles, and for memory that any kernel may access. */
static bool is_followed(const struct xs_detection *detection, int64_t allocation) {
    const struct xs_allocation *a = xs_allocation_by_id(detection->residency, allocation);
    return allocation && !(a && (a->kind == XS_MEM_ARRAY || a->any_launch_touches));
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    static const struct xs_stretch_launch unknown;
    struct state *state = detection->state;
    state->detection = detection;
    if (!detection->kernels_recorded)
        return;
    if (event->on == XS_ON_LAUNCH) {
        take_launch(state, event);
        return;
    }
    if (event->device < 0 || event->device >= DEVICES)
        return;
    struct xs_stretches *stretches = stretches_of(state, event->device);
    const struct xs_interval_view *interval = &event->u.interval;
    if (!interval->is_kernel) {
        /* even if copies have no addresses, an upload depends only on what the host had downloaded before */
        bool upload_anywhere = !detection->addresses_recorded && interval->direction == XS_DIR_H2D;
        xs_stretches_copy(stretches, event, upload_anywhere || is_followed(detection, interval->device_allocation));
        return;
    }
    const struct launch *found = state->launches ? &state->launches[event->correlation % LAUNCHES] : NULL;
    bool known = found && event->correlation && found->correlation == event->correlation;
    xs_stretches_kernel(stretches, event->enter_ns, event->return_ns, known ? &found->launch : &unknown);
}

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->device_count; i++)
        if (state->devices[i])
            xs_stretches_finish(state->devices[i]);
    if (!state->detection)
        return;
    if (!state->enough)
        report_if_enough(state);
    if (are_enough(state->pairs + state->undecided, state->ns + state->undecided_ns, detection->run_ns))
        for (uint64_t i = 0; i < state->undecided; i++)
            xs_undecided(detection, XS_UNDECIDED_ARGUMENTS);
}

/* Forgets everything, because it is not known what ran next to a copy or a kernel. */
static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->device_count; i++) {
        if (state->devices[i]) {
            xs_stretches_finish(state->devices[i]);
            xs_stretches_free(state->devices[i]);
            xs_stretches_begin(state->devices[i], on_pair, state);
        }
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->device_count; i++) {
        if (state->devices[i])
            xs_stretches_free(state->devices[i]);
        free(state->devices[i]);
    }
    free(state->devices);
    free(state->launches);
    free(state->waiting);
}

const struct xs_detector xs_detector_no_overlap = {
    .id = "no-overlap",
    .title = "copies and kernels that took turns",
    .definition = "Copies ran while no kernel ran, and the kernels just before or after them ran while no copy ran.",
    .remedy = "Copy on a stream that the kernels do not use, and copy the next batch early, into a second buffer.",
    .kind = XS_POTENTIAL,
    .repair = XS_REPAIR_OVERLAP,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_DEVICE_INTERVAL),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .finish = finish,
    .end = end,
};
