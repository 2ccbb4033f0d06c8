/* managed-first-touch: a kernel is the first to use managed memory. The pages then come to the device, or are made
 * there, one fault after another. Memory use grows with the number of live managed allocations and with the number of
 * instances; churn.h needs memory, too. */
#include "analyzer/findings/detectors/churn.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/trace/scan.h"

#define KIND(n, id, name) MIGRATION_##id = (n),
enum { XS_MIGRATION_KINDS(KIND) };
#undef KIND

enum { LEAST_BYTES = 1 << 20, MOST_INSTANCES = 1 << 16 };

/* These flags tell how pages of a site's allocations got to the device. Migrations may be recorded for only a part of
 * the run. */
enum { CAME = 1, /* they came to the device from the host */ WERE_MADE = 2 /* a kernel had faults */ };

/* The first use of an instance's pages, or what is known of an allocation that may become an instance. */
struct use {
    uint64_t ns;      /* time of faults and of migrations to the device, each moment once */
    int64_t until_ns; /* end of the last one of them */
    bool has_ended;   /* pages went back: what comes later belongs to managed-thrash */
    bool repeats;     /* repeated-allocation reports the allocation */
    bool is_held;     /* it is an instance */
};

struct state {
    struct xs_churn churn;         /* must be the first member; finds what repeated-allocation reports */
    struct xs_hash live;           /* maps allocation.id of a live managed allocation that nothing has used yet to its
                                    * struct xs_allocation */
    struct xs_hash uses;           /* maps allocation.id of an instance, or of a live allocation that repeats, to its
                                    * struct use */
    struct xs_hash sites;          /* maps the site of an instance to CAME and WERE_MADE */
    struct xs_instance *instances; /* reported at the end, if pages of their site's allocations moved or were made */
    size_t count, capacity;
};

static void hold(struct state *state, const struct xs_allocation *a, const struct xs_trace_event *launch) {
    if (state->count == MOST_INSTANCES)
        return;
    struct xs_instance instance = {.site = a->site, .at_ns = a->enter_ns, .bytes = a->bytes};
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
    xs_add_evidence(&instance, XS_EVIDENCE_LAUNCH, launch->id, "the launch that used it first");
    xs_grow(&state->instances, state->count, &state->capacity, sizeof *state->instances);
    state->instances[state->count++] = instance;
    ((struct use *)xs_hash_item(&state->uses, (uint64_t)a->id, 0, sizeof(struct use)))->is_held = true;
}

static void end_memory(struct state *state, const struct xs_allocation *a) {
    const struct use *use = xs_hash_pointer(&state->uses, (uint64_t)a->id, 0);
    xs_hash_remove(&state->live, (uint64_t)a->id, 0);
    if (use && !use->is_held)
        xs_hash_remove(&state->uses, (uint64_t)a->id, 0);
}

static void use(struct state *state, int64_t allocation) { xs_hash_remove(&state->live, (uint64_t)allocation, 0); }

static void use_address(struct state *state, uint64_t address) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->live, entry));) {
        const struct xs_allocation *a = (const struct xs_allocation *)(uintptr_t)entry->value;
        if (address >= a->address && address - a->address < a->bytes) {
            use(state, a->id);
            return;
        }
    }
}

/* Records that all live allocations may have been used. */
static void use_all(struct state *state) { xs_hash_free(&state->live); }

static void take_launch(struct state *state, const struct xs_trace_event *launch) {
    if (!launch->u.launch.arguments_seen)
        use_all(state);
    for (unsigned i = 0; i < launch->u.launch.argument_count; i++) {
        const struct xs_allocation *a = xs_hash_pointer(&state->live, (uint64_t)launch->u.launch.arguments[i], 0);
        if (!a)
            continue;
        hold(state, a, launch);
        use(state, a->id);
    }
}

static void begin_memory(struct xs_detection *detection, const struct xs_allocation *a) {
    struct state *state = detection->state;
    if (a->kind == XS_MEM_MANAGED && a->bytes >= LEAST_BYTES && !xs_calls_are_missing(detection))
        *xs_hash_put(&state->live, (uint64_t)a->id, 0) = (uint64_t)(uintptr_t)a;
}

static void take_migration(struct state *state, const struct xs_trace_event *event) {
    const struct xs_migration_view *m = &event->u.migration;
    bool came = m->kind == MIGRATION_HTOD;
    struct use *use = m->allocation ? xs_hash_pointer(&state->uses, (uint64_t)m->allocation->id, 0) : NULL;
    if (!use || !use->is_held || use->has_ended)
        return;
    use->has_ended = m->kind == MIGRATION_DTOH;
    if (!came && m->kind != MIGRATION_GPU_FAULT)
        return;
    int64_t from_ns = event->enter_ns > use->until_ns ? event->enter_ns : use->until_ns;
    if (event->return_ns > from_ns) {
        use->ns = xs_sum(use->ns, (uint64_t)event->return_ns - (uint64_t)from_ns);
        use->until_ns = event->return_ns;
    }
    *xs_hash_put(&state->sites, m->allocation->site, 0) |= came ? CAME : WERE_MADE;
}

/* Notes that the program could have kept an earlier allocation in place of this one. Only the earlier allocation would
 * then have new pages. */
static void on_pair(struct xs_detection *detection, int64_t id, int64_t freed_id) {
    struct state *state = detection->state;
    (void)freed_id;
    ((struct use *)xs_hash_item(&state->uses, (uint64_t)id, 0, sizeof(struct use)))->repeats = true;
}

static void take_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    switch (event->on) {
    case XS_ON_ALLOCATION:
        begin_memory(detection, event->u.allocation);
        break;
    case XS_ON_FREE:
        end_memory(state, event->u.allocation);
        break;
    case XS_ON_LAUNCH:
        take_launch(state, event);
        break;
    case XS_ON_TRANSFER:
        use(state, event->u.transfer.src_allocation);
        use(state, event->u.transfer.dst_allocation);
        break;
    case XS_ON_MEMSET:
        use(state, event->u.memset.allocation);
        break;
    case XS_ON_API:
        if (event->u.api.traits & XS_TRAIT_PREFETCHES && event->u.api.object > 1)
            use_all(state); /* only a batch's first range is known */
        else if (event->u.api.traits & XS_TRAIT_PREFETCHES)
            use_address(state, event->u.api.address);
        break;
    default:
        take_migration(state, event);
    }
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    bool is_memory = event->on == XS_ON_ALLOCATION || event->on == XS_ON_FREE;
    state->churn.on_pair = on_pair;
    if (event->ran)
        take_event(detection, event);
    if (event->on == XS_ON_API || (is_memory && event->u.allocation->kind == XS_MEM_MANAGED))
        xs_churn_take(detection, event, XS_CHURN_DEVICE_OR_MANAGED);
}

static void on_gap(struct xs_detection *detection) { use_all(detection->state); }

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->count; i++) {
        struct xs_instance *instance = &state->instances[i];
        const uint64_t *pages = xs_hash_find(&state->sites, instance->site, 0);
        const struct use *use = xs_hash_pointer(&state->uses, (uint64_t)instance->evidence[0].row, 0);
        if (!pages && !detection->windows[XS_MIGRATIONS_UP].whole)
            xs_undecided(detection, "page migrations not recorded");
        if (!pages || (use->repeats && !(*pages & CAME)))
            continue;
        instance->cost = instance->removable = (struct xs_times){.device_ns = use->ns, .device_known = true};
        xs_report_instance(detection, instance);
        xs_claim_unshared(detection, &instance->removable);
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->live);
    xs_hash_free(&state->uses);
    xs_hash_free(&state->sites);
    free(state->instances);
    xs_churn_end(detection);
}

const struct xs_detector xs_detector_managed_first_touch = {
    .id = "managed-first-touch",
    .title = "managed memory whose first use is by a kernel, page by page",
    .definition = "A kernel was the first on the device to use a managed allocation of at least 1 MiB, and pages of "
                  "allocations of this place were recorded to come to the device, or to be made there fault by fault.",
    .remedy = "Prefetch the memory to the device before the launch (`cudaMemPrefetchAsync()`).",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_PREFETCH,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_MIGRATION) |
             XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_MEMSET) | XS_CHURN_WANTS,
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .finish = finish,
    .end = end,
};
