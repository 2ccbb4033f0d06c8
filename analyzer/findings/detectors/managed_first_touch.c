/* managed-first-touch: managed memory whose first use is by a kernel, so that its pages come to the device one fault
 * after the other. Memory use grows with the number of live managed allocations, and of instances. */
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/trace/scan.h"

#define KIND(n, id, name) MIGRATION_##id = (n),
enum { XS_MIGRATION_KINDS(KIND) };
#undef KIND

enum { LEAST_BYTES = 1 << 20, MOST_INSTANCES = 1 << 16 };

struct state {
    struct xs_hash live;  /* maps allocation.id of a live managed allocation that nothing has used yet to its struct
                           * xs_allocation */
    struct xs_hash moved; /* maps allocation.id of an instance to the time that migrations of its pages to the device
                           * took before its first migration back */
    struct xs_hash sites; /* sites of allocations with such migrations, which may be recorded for a part of the run
                           * only */
    struct xs_instance *instances; /* reported at the end, if pages of their site's allocations moved */
    size_t count, capacity;
};

/* Marks an allocation whose pages went back: later migrations to the device are those of managed-thrash. */
#define WENT_BACK (UINT64_C(1) << 63)

static void hold(struct state *state, const struct xs_allocation *a, const struct xs_trace_event *launch) {
    if (state->count == MOST_INSTANCES)
        return;
    struct xs_instance instance = {.site = a->site, .at_ns = a->enter_ns, .bytes = a->bytes};
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
    xs_add_evidence(&instance, XS_EVIDENCE_LAUNCH, launch->id, "the launch that used it first");
    xs_grow(&state->instances, state->count, &state->capacity, sizeof *state->instances);
    state->instances[state->count++] = instance;
    *xs_hash_put(&state->moved, (uint64_t)a->id, 0) = 0;
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
    uint64_t *ns = m->allocation ? xs_hash_find(&state->moved, (uint64_t)m->allocation->id, 0) : NULL;
    if (!ns || *ns & WENT_BACK)
        return;
    if (m->kind == MIGRATION_DTOH)
        *ns |= WENT_BACK;
    if (m->kind != MIGRATION_HTOD)
        return;
    *ns = xs_sum(*ns, (uint64_t)event->return_ns - (uint64_t)event->enter_ns) & ~WENT_BACK;
    *xs_hash_put(&state->sites, m->allocation->site, 0) = 1;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    switch (event->on) {
    case XS_ON_ALLOCATION:
        begin_memory(detection, event->u.allocation);
        break;
    case XS_ON_FREE:
        xs_hash_remove(&state->live, (uint64_t)event->u.allocation->id, 0);
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

static void on_gap(struct xs_detection *detection) { use_all(detection->state); }

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = 0; i < state->count; i++) {
        struct xs_instance *instance = &state->instances[i];
        if (!xs_hash_find(&state->sites, instance->site, 0))
            continue;
        uint64_t ns = *xs_hash_find(&state->moved, (uint64_t)instance->evidence[0].row, 0) & ~WENT_BACK;
        instance->cost = instance->removable = (struct xs_times){.device_ns = ns, .device_known = true};
        xs_report_instance(detection, instance);
        xs_claim_unshared(detection, &instance->removable);
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->live);
    xs_hash_free(&state->moved);
    xs_hash_free(&state->sites);
    free(state->instances);
}

const struct xs_detector xs_detector_managed_first_touch = {
    .id = "managed-first-touch",
    .title = "managed memory that a kernel brings to the device page by page",
    .definition = "A kernel was the first on the device to use a managed allocation of at least 1 MiB, and pages of "
                  "allocations of this place were recorded to come to the device.",
    .remedy = "Prefetch the memory to the device before the launch (`cudaMemPrefetchAsync()`).",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_KEEP_ON_DEVICE,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_MIGRATION) |
             XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .finish = finish,
    .end = end,
};
