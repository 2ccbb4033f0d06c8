/* managed-thrash: managed memory whose pages moved to the device and back again and again. It uses one byte of memory
 * for each 64 KiB of the live managed allocations whose pages moved. If migrations were recorded only in windows, it
 * also uses a block for each launch that used managed memory and whose kernel's record has not been read yet (if the
 * record was lost, the block remains).
 *
 * If migrations were recorded only in windows, a piece that moved three times may not have been seen three times. The
 * recorded bytes are then extrapolated: bytes to the device in proportion to the time of kernels that used the
 * allocation, bytes to the host in proportion to the time without such a kernel. */
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"

#define KIND(n, id, name) MIGRATION_##id = (n),
enum { XS_MIGRATION_KINDS(KIND) };
#undef KIND

enum { ENOUGH = 3, SMALLEST_SHIFT = 16, MOST_PIECES = 1 << 20 };

/* State of a piece: the direction of its last move, and how often it moved to the device and back. */
enum { WENT_UP = 1, WENT_DOWN = 2, TRIP = 4, MOST_TRIPS = 0xfc };

struct pages {
    uint64_t address, bytes;
    unsigned shift;      /* a piece has 2^shift bytes */
    bool thrashes;       /* at least one piece made enough trips */
    uint64_t ns;         /* time of all migrations in both directions and of the device's faults, each moment once */
    int64_t until_ns;    /* end of the last one of them */
    uint64_t again_ns;   /* the part of `ns` that does not include each piece's first move to the device and its first
                          * move back */
    int64_t first, last; /* device_migration.id */
    int64_t remote;      /* device_migration.id of the first remote map; 0: none */
    struct seen {
        double bytes, sampled_bytes; /* bytes in all windows; and in samples, multiplied by their weights */
        uint64_t windows;   /* number of samples with such migrations, counted only if a kernel ran since the previous
                             * one */
        const void *window; /* the latest of these samples */
        uint64_t kernels;   /* number of kernels before that sample */
    } up, down;
    int64_t since_ns;  /* start of the first kernel that used the allocation; 0: none */
    uint64_t kernels;  /* number of kernels so far that used it */
    double kernels_ns; /* total time of these kernels */
    double recorded_ns[XS_MIGRATION_WAYS], sampled_ns[XS_MIGRATION_WAYS]; /* the parts of this time in windows, and in
                                                                           * samples */
    uint8_t pieces[];
};

struct state {
    struct xs_hash pages;    /* maps allocation.id to struct pages */
    struct xs_hash launches; /* maps the correlation number of a launch that used managed memory to struct given */
    struct xs_hash managed;  /* allocation.id of each live managed allocation */
};

/* The managed memory in the arguments of a launch. */
struct given {
    unsigned count;
    int64_t allocations[]; /* allocation.id */
};

static struct pages *pages_of(struct state *state, const struct xs_allocation *a) {
    struct pages *known = xs_hash_pointer(&state->pages, (uint64_t)a->id, 0);
    if (known)
        return known;
    unsigned shift = SMALLEST_SHIFT;
    while (((a->bytes - 1) >> shift) >= MOST_PIECES) /* only for more than 64 GiB */
        shift++;
    struct pages *pages = xs_zeroed(1, sizeof *pages + (size_t)((a->bytes - 1) >> shift) + 1);
    pages->address = a->address;
    pages->bytes = a->bytes;
    pages->shift = shift;
    *xs_hash_put(&state->pages, (uint64_t)a->id, 0) = (uint64_t)(uintptr_t)pages;
    return pages;
}

/* Records that a piece moved to the device (`up`) or back. True: it had moved in this direction before. A piece may
 * move page by page, which counts once. */
static bool move_piece(struct pages *pages, uint8_t *piece, bool up) {
    unsigned last = *piece & (WENT_UP | WENT_DOWN), trips = *piece & MOST_TRIPS;
    if (!up && last == WENT_UP && trips < MOST_TRIPS)
        trips += TRIP;
    *piece = (uint8_t)(trips | (up ? WENT_UP : WENT_DOWN));
    pages->thrashes = pages->thrashes || trips >= ENOUGH * TRIP;
    return trips >= (up ? TRIP : 2 * TRIP);
}

static void note_seen(struct seen *seen, const struct xs_recorded_window *window, uint64_t kernels, uint64_t bytes) {
    seen->bytes += (double)bytes;
    if (!window || !window->is_sample)
        return;
    seen->sampled_bytes += window->weight * (double)bytes;
    if (seen->window == window || (seen->window && seen->kernels == kernels))
        return;
    seen->windows++;
    seen->window = window;
    seen->kernels = kernels;
}

/* Adds the time of a migration or fault. `again` is the part of this time that does not belong to a piece's first move
 * in this direction. */
static void add_time(struct pages *pages, const struct xs_trace_event *event, double again) {
    int64_t from_ns = event->enter_ns > pages->until_ns ? event->enter_ns : pages->until_ns;
    if (event->return_ns <= from_ns)
        return;
    uint64_t ns = (uint64_t)event->return_ns - (uint64_t)from_ns;
    pages->until_ns = event->return_ns;
    pages->ns += ns;
    pages->again_ns += (uint64_t)((double)ns * again + 0.5);
}

/* Adds the time of a fault. A kernel waits from its fault until the page has come, which takes much longer than the
 * migration of a small page. */
static void take_fault(struct state *state, const struct xs_trace_event *event) {
    const struct xs_migration_view *m = &event->u.migration;
    struct pages *pages = m->allocation ? xs_hash_pointer(&state->pages, (uint64_t)m->allocation->id, 0) : NULL;
    uint64_t offset = pages ? m->address - pages->address : 0;
    if (pages && offset < pages->bytes)
        add_time(pages, event, (pages->pieces[offset >> pages->shift] & MOST_TRIPS) >= TRIP);
}

static void take_remote_map(struct state *state, const struct xs_trace_event *event) {
    const struct xs_allocation *a = event->u.migration.allocation;
    struct pages *pages = a ? xs_hash_pointer(&state->pages, (uint64_t)a->id, 0) : NULL;
    if (pages && !pages->remote)
        pages->remote = event->id;
}

static void take_migration(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_migration_view *m = &event->u.migration;
    const struct xs_allocation *a = m->allocation;
    if (m->kind == MIGRATION_GPU_FAULT)
        take_fault(detection->state, event);
    else if (m->kind == MIGRATION_REMOTE_MAP)
        take_remote_map(detection->state, event);
    bool up = m->kind == MIGRATION_HTOD;
    if ((!up && m->kind != MIGRATION_DTOH) || !a || a->kind != XS_MEM_MANAGED || !a->bytes || !m->bytes)
        return;
    struct pages *pages = pages_of(detection->state, a);
    uint64_t offset = m->address - pages->address, room = pages->bytes - offset;
    uint64_t length = m->bytes < room ? m->bytes : room;
    uint64_t first = offset >> pages->shift, last = (offset + length - 1) >> pages->shift, again = 0;
    for (uint64_t i = first; i <= last; i++)
        again += move_piece(pages, &pages->pieces[i], up);
    note_seen(up ? &pages->up : &pages->down,
              xs_migration_window_at(&detection->windows[up ? XS_MIGRATIONS_UP : XS_MIGRATIONS_DOWN], event->enter_ns),
              pages->kernels, length);
    add_time(pages, event, (double)again / (double)(last - first + 1));
    pages->first = pages->first ? pages->first : event->id;
    pages->last = event->id;
}

/* --- where only windows were recorded --- */

static void take_launch(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_launch_view *launch = &event->u.launch;
    unsigned count = 0;
    if (!detection->kernels_recorded || !event->correlation || !state->managed.count)
        return;
    for (unsigned i = 0; i < launch->argument_count; i++)
        count += xs_hash_find(&state->managed, (uint64_t)launch->arguments[i], 0) != NULL;
    if (!count)
        return;
    struct given *given = xs_realloc(NULL, sizeof *given + count * sizeof *given->allocations);
    given->count = 0;
    for (unsigned i = 0; i < launch->argument_count; i++)
        if (xs_hash_find(&state->managed, (uint64_t)launch->arguments[i], 0))
            given->allocations[given->count++] = launch->arguments[i];
    uint64_t *place = xs_hash_put(&state->launches, event->correlation, 0);
    free((struct given *)(uintptr_t)*place);
    *place = (uint64_t)(uintptr_t)given;
}

static void note_kernel(struct xs_detection *detection, struct pages *pages, int64_t start_ns, int64_t end_ns) {
    pages->since_ns = pages->since_ns ? pages->since_ns : start_ns;
    pages->kernels++;
    pages->kernels_ns += (double)(end_ns - start_ns);
    for (unsigned way = 0; way < XS_MIGRATION_WAYS; way++) {
        const struct xs_migration_windows *windows = &detection->windows[way];
        pages->recorded_ns[way] += (double)xs_migration_windows_within(windows, start_ns, end_ns, false);
        pages->sampled_ns[way] += xs_migration_windows_weighed(windows, start_ns, end_ns);
    }
}

static void take_kernel(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct given *given = event->u.interval.is_kernel ? xs_hash_pointer(&state->launches, event->correlation, 0) : NULL;
    if (!given || event->return_ns < event->enter_ns)
        return;
    for (unsigned i = 0; i < given->count; i++) {
        const struct xs_allocation *allocation = xs_hash_pointer(&state->managed, (uint64_t)given->allocations[i], 0);
        if (allocation)
            note_kernel(detection, pages_of(state, allocation), event->enter_ns, event->return_ns);
    }
    xs_hash_remove(&state->launches, event->correlation, 0);
    free(given);
}

/* Returns the estimated number of bytes that moved, from the recorded bytes. Bytes in windows that are no samples
 * represent only themselves. */
static double scaled(const struct seen *seen, double all_ns, double recorded_ns, double sampled_ns) {
    double unseen = all_ns - recorded_ns;
    return seen->bytes + (unseen > 0 && sampled_ns > 0 ? seen->sampled_bytes * unseen / sampled_ns : 0);
}

/* Returns how often the allocation's pages moved to the device and back, estimated from the windows; 0: the windows do
 * not show that they did. */
static double estimated_trips(const struct xs_detection *detection, const struct pages *pages, int64_t end_ns) {
    const struct xs_migration_windows *windows = &detection->windows[XS_MIGRATIONS_DOWN];
    bool seen = pages->up.windows >= 2 || pages->down.windows >= 2;
    if (windows->whole || !pages->since_ns || !seen)
        return 0;
    int64_t since = pages->since_ns;
    double other_ns = (double)(end_ns - since) - pages->kernels_ns;
    double recorded = (double)xs_migration_windows_within(windows, since, end_ns, false);
    double sampled = xs_migration_windows_weighed(windows, since, end_ns);
    double up = scaled(&pages->up, pages->kernels_ns, pages->recorded_ns[XS_MIGRATIONS_UP],
                       pages->sampled_ns[XS_MIGRATIONS_UP]);
    double down = scaled(&pages->down, other_ns, recorded - pages->recorded_ns[XS_MIGRATIONS_DOWN],
                         sampled - pages->sampled_ns[XS_MIGRATIONS_DOWN]);
    /* bytes that moved in one direction in two windows must have moved in the other direction in between, even if that
     * was not recorded */
    if (!pages->up.windows || !pages->down.windows)
        return (up > down ? up : down) / (double)pages->bytes;
    return (up < down ? up : down) / (double)pages->bytes;
}

/* --- the end of an allocation --- */

static void report(struct xs_detection *detection, const struct xs_allocation *a, const struct pages *pages,
                   uint64_t again_ns) {
    struct xs_instance instance = {.site = a->site,
                                   .at_ns = a->enter_ns,
                                   .bytes = a->bytes,
                                   .cost = {.device_ns = pages->ns, .device_known = true},
                                   .removable = {.device_ns = again_ns, .device_known = true}};
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
    xs_add_evidence(&instance, XS_EVIDENCE_MIGRATION, pages->first, "the first migration");
    xs_add_evidence(&instance, XS_EVIDENCE_MIGRATION, pages->last, "the last one");
    xs_add_evidence(&instance, XS_EVIDENCE_MIGRATION, pages->remote,
                    "the driver lets the device use a page across the link");
    xs_report_instance(detection, &instance);
    xs_claim_unshared(detection, &instance.removable);
}

static void take_end(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    struct pages *pages = xs_hash_pointer(&state->pages, (uint64_t)a->id, 0);
    xs_hash_remove(&state->managed, (uint64_t)a->id, 0);
    if (!pages)
        return;
    double trips = estimated_trips(detection, pages, event->enter_ns);
    uint64_t again_ns = trips >= ENOUGH ? (uint64_t)((double)pages->ns * (trips - 1) / trips) : 0;
    if (pages->thrashes || trips >= ENOUGH)
        report(detection, a, pages, again_ns > pages->again_ns ? again_ns : pages->again_ns);
    xs_hash_remove(&state->pages, (uint64_t)a->id, 0);
    free(pages);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    switch (event->on) {
    case XS_ON_ALLOCATION:
        if (event->u.allocation->kind == XS_MEM_MANAGED && event->u.allocation->bytes && !detection->windows->whole)
            *xs_hash_put(&state->managed, (uint64_t)event->id, 0) = (uint64_t)(uintptr_t)event->u.allocation;
        break;
    case XS_ON_LAUNCH:
        take_launch(detection, event);
        break;
    case XS_ON_DEVICE_INTERVAL:
        take_kernel(detection, event);
        break;
    case XS_ON_MIGRATION:
        take_migration(detection, event);
        break;
    default:
        take_end(detection, event);
        break;
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->pages, entry));)
        free((struct pages *)(uintptr_t)entry->value);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->launches, entry));)
        free((struct given *)(uintptr_t)entry->value);
    xs_hash_free(&state->pages);
    xs_hash_free(&state->launches);
    xs_hash_free(&state->managed);
}

const struct xs_detector xs_detector_managed_thrash = {
    .id = "managed-thrash",
    .title = "managed memory whose pages go to the device and back",
    .definition = "Pages of managed memory went to the device and back at least 3 times.",
    .remedy = "Keep the pages on one side: compute there, prefetch the pages, or copy what is needed explicitly.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_KEEP_ON_DEVICE,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_DEVICE_INTERVAL) |
             XS_WANT(XS_ON_MIGRATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LIVE),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .end = end,
};
