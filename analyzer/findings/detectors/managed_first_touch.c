/* managed-first-touch: managed memory whose first use is by a kernel, so that its pages come to the device one fault
 * after the other. Memory use grows with the number of live managed allocations, and of instances. */
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"

#define KIND(n, id, name) MIGRATION_##id = (n),
enum { XS_MIGRATION_KINDS(KIND) };
#undef KIND

enum { LEAST_BYTES = 1 << 20, MOST_INSTANCES = 1 << 16 };

/* A live managed allocation. */
struct memory {
    const struct xs_allocation *allocation;
    bool is_used; /* it was prefetched, copied or set by the device, or given to a launch; or this is not known */
};

struct state {
    struct xs_hash live;  /* by allocation.id: struct memory */
    struct xs_hash sites; /* maps the site of allocations to the time that migrations of their pages to the device took,
                           * plus 1; migrations may be recorded for a part of the run only */
    struct xs_instance *instances; /* reported at the end, if pages of their site's allocations moved */
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
}

static void use(struct state *state, int64_t allocation) {
    struct memory *memory = allocation ? xs_hash_pointer(&state->live, (uint64_t)allocation, 0) : NULL;
    if (memory)
        memory->is_used = true;
}

/* Records that the live allocations may have been used; `address` 0: all of them, else the one with this address. */
static void use_all(struct state *state, uint64_t address) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->live, entry));) {
        struct memory *memory = (struct memory *)(uintptr_t)entry->value;
        const struct xs_allocation *a = memory->allocation;
        memory->is_used |= !address || (address >= a->address && address - a->address < a->bytes);
    }
}

static void take_launch(struct state *state, const struct xs_trace_event *launch) {
    if (!launch->u.launch.arguments_seen)
        use_all(state, 0);
    for (unsigned i = 0; i < launch->u.launch.argument_count; i++) {
        struct memory *memory = xs_hash_pointer(&state->live, (uint64_t)launch->u.launch.arguments[i], 0);
        if (!memory || memory->is_used)
            continue;
        hold(state, memory->allocation, launch);
        memory->is_used = true;
    }
}

static void begin_memory(struct xs_detection *detection, const struct xs_allocation *a) {
    struct state *state = detection->state;
    if (a->kind == XS_MEM_MANAGED && a->bytes >= LEAST_BYTES && detection->calls_recorded)
        *(struct memory *)xs_hash_item(&state->live, (uint64_t)a->id, 0, sizeof(struct memory)) =
            (struct memory){.allocation = a};
}

static void take_migration(struct state *state, const struct xs_trace_event *event) {
    const struct xs_migration_view *m = &event->u.migration;
    if (m->kind != MIGRATION_HTOD || !m->allocation || m->allocation->bytes < LEAST_BYTES)
        return;
    uint64_t *ns = xs_hash_put(&state->sites, m->allocation->site, 0);
    *ns += (*ns ? 0 : 1) + (uint64_t)event->return_ns - (uint64_t)event->enter_ns;
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
        if (event->u.api.traits & XS_TRAIT_PREFETCHES)
            use_all(state,
                    event->u.api.object > 1 ? 0 : event->u.api.address); /* only a batch's first range is known */
        break;
    default:
        take_migration(state, event);
    }
}

static void on_gap(struct xs_detection *detection) { use_all(detection->state, 0); }

/* Divides the recorded time of a site's migrations among its instances. */
static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    struct xs_hash numbers = {0}; /* by site: number of its instances */
    for (size_t i = 0; i < state->count; i++)
        ++*xs_hash_put(&numbers, state->instances[i].site, 0);
    for (size_t i = 0; i < state->count; i++) {
        struct xs_instance *instance = &state->instances[i];
        const uint64_t *ns = xs_hash_find(&state->sites, instance->site, 0);
        if (!ns)
            continue;
        instance->cost.device_known = true;
        instance->cost.device_ns = (*ns - 1) / *xs_hash_find(&numbers, instance->site, 0);
        instance->removable = instance->cost;
        xs_report_instance(detection, instance);
        xs_claim_unshared(detection, &instance->removable);
    }
    xs_hash_free(&numbers);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->live);
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
