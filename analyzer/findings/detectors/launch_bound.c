/* launch-bound: runs of short kernels that the host launches one by one, more slowly than the device runs them.
 * A run belongs to the thread's call after it, which has a call stack. Few launches have a call stack. If those of the
 * runs that count are in one function, the finding also says where they are launched. Memory use grows with the number
 * of threads and of call sites. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/numbers.h"
#include "analyzer/findings/detectors/repeats.h"
#include "analyzer/findings/engine/graph_launch.h"

/* A run of launches that a thread has made since its latest other call. */
struct run {
    uint64_t count, idle_ns, took_ns;
    uint64_t functions;  /* a hash of the launched functions and their shapes, in order */
    uint32_t site;       /* call site of the first launch that had a stack; 0: no launch had one */
    bool is_unclear;     /* another launch of the run was made by another function */
    int64_t first, last; /* rows of launches */
    int64_t first_ns, last_ns;
};

/* The call sites of the launches before one call. */
struct line {
    uint32_t site;   /* of the first launch that had a stack; 0: none had */
    bool is_unclear; /* other launches were made by another function */
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash runs;  /* by thread.id: struct run */
    struct xs_hash seen;  /* by site: `functions` of the site's latest run */
    struct xs_hash lines; /* by site of the call behind: struct line */
};

/* Adds the time since the run's previous launch. Kernels begin some microseconds after their launches, so the device's
 * idle time is taken from an equally long time after this launch. */
static void add_time(struct xs_detection *detection, struct run *run, const struct xs_trace_event *launch) {
    int64_t since_ns = launch->enter_ns - run->last_ns;
    if (since_ns <= 0 || since_ns >= XS_LAUNCH_PAUSE_NS)
        return;
    uint64_t ns = (uint64_t)since_ns;
    uint64_t busy_ns = xs_kernels_between(detection, launch->device, launch->enter_ns, launch->enter_ns + since_ns);
    run->took_ns += ns;
    run->idle_ns += ns - xs_least(busy_ns, ns);
}

static void add_launch(struct xs_detection *detection, struct run *run, const struct xs_trace_event *launch) {
    if (run->count++)
        add_time(detection, run, launch);
    else
        run->first = launch->id, run->first_ns = launch->enter_ns;
    uint32_t site = launch->u.launch.site;
    run->is_unclear |= run->site && site && !xs_are_in_one_function(detection, run->site, site);
    run->site = run->site ? run->site : site;
    run->last = launch->id;
    run->last_ns = launch->enter_ns;
    run->functions = xs_mix(run->functions ^ launch->u.launch.function ^ launch->u.launch.shape) + run->count;
}

static enum xs_evidence_table table_of(const struct xs_trace_event *call) {
    static const enum xs_evidence_table tables[XS_ON_COUNT] = {[XS_ON_TRANSFER] = XS_EVIDENCE_TRANSFER,
                                                               [XS_ON_MEMSET] = XS_EVIDENCE_MEMSET,
                                                               [XS_ON_SYNC] = XS_EVIDENCE_SYNC,
                                                               [XS_ON_LAUNCH] = XS_EVIDENCE_LAUNCH,
                                                               [XS_ON_API] = XS_EVIDENCE_API_CALL};
    return tables[call->on];
}

static void note_line(struct xs_detection *detection, const struct run *run, uint32_t site) {
    struct state *state = detection->state;
    if (!run->site)
        return;
    struct line *line = xs_hash_item(&state->lines, site, 0, sizeof *line);
    line->site = line->site ? line->site : run->site;
    line->is_unclear |= run->is_unclear || !xs_are_in_one_function(detection, line->site, run->site);
}

/* Ends a run at a call of another kind. The run counts if the place's previous run had the same functions with the same
 * grids, blocks and shared memory, because the program can then make one graph for all of its runs. */
static void end_run(struct xs_detection *detection, struct run *run, const struct xs_trace_event *call) {
    struct state *state = detection->state;
    uint64_t *seen = run->count >= XS_GRAPH_LEAST_LAUNCHES ? xs_hash_put(&state->seen, call->site, 0) : NULL;
    if (seen && *seen == run->functions && run->idle_ns > XS_GRAPH_LAUNCH_NS) {
        struct xs_instance instance = {.site = call->site,
                                       .at_ns = run->first_ns,
                                       .cost = {.host_ns = run->took_ns},
                                       .removable = {.host_ns = run->idle_ns - XS_GRAPH_LAUNCH_NS}};
        xs_add_evidence(&instance, XS_EVIDENCE_LAUNCH, run->first, "the first launch");
        xs_add_evidence(&instance, XS_EVIDENCE_LAUNCH, run->last, "the last launch");
        xs_add_evidence(&instance, table_of(call), call->id, "the call behind them");
        xs_repeats_add_host(&state->repeats, detection, &instance, NULL);
        note_line(detection, run, call->site);
    }
    if (seen)
        *seen = run->functions;
    *run = (struct run){0};
}

/* True for calls that can be captured into a graph together with the launches around them. */
static bool is_between_launches(const struct xs_trace_event *event) {
    return event->on == XS_ON_API && event->u.api.traits & (XS_TRAIT_RECORDS_EVENT | XS_TRAIT_ORDERS_STREAMS);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct run *run = xs_hash_item(&state->runs, (uint32_t)event->thread, 0, sizeof *run);
    bool is_kernel = event->on == XS_ON_LAUNCH && event->u.launch.kind == XS_LAUNCH_KERNEL && !event->is_captured;
    if (is_kernel)
        add_launch(detection, run, event);
    else if (run->count && !is_between_launches(event))
        end_run(detection, run, event);
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->runs);
}

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->lines, entry));) {
        const struct line *line = (const struct line *)(uintptr_t)entry->value;
        if (!line->is_unclear)
            xs_launched_at(detection, (uint32_t)entry->low, line->site);
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    on_gap(detection);
    xs_hash_free(&state->lines);
    xs_hash_free(&state->seen);
    xs_repeats_end(&state->repeats, detection);
}

const struct xs_detector xs_detector_launch_bound = {
    .id = "launch-bound",
    .title = "runs of short kernels, launched one by one",
    .definition =
        "At least 10 runs of at least 4 launches before a call at one place, each of the same functions and grids "
        "as the run before, in which the device was idle because the host launches more slowly than the kernels "
        "run, together for at least 5 % of the run.",
    .remedy = "Capture the kernels in a CUDA graph once, and launch the graph; or launch fewer and larger kernels.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_GRAPH,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_SYNC) |
             XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .finish = finish,
    .end = end,
};
