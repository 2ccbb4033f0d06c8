/* managed-thrash: managed memory whose pages went to the device and back again and again. It uses one byte of memory
 * for each 64 KiB of the live managed allocations whose pages moved. */
#include "analyzer/engine/detector.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"

#define KIND(n, id, name) MIGRATION_##id = (n),
enum { XS_MIGRATION_KINDS(KIND) };
#undef KIND

enum { ENOUGH = 3, SMALLEST_SHIFT = 16, MOST_PIECES = 1 << 20 };

/* Of a piece: where it went last, and how often to the device and back. */
enum { WENT_UP = 1, WENT_DOWN = 2, TRIP = 4, MOST_TRIPS = 0xfc };

struct pages {
    uint64_t address, bytes;
    unsigned shift;      /* a piece has 2^shift bytes */
    bool thrashes;       /* a piece made enough trips */
    uint64_t ns;         /* of all migrations to the device and back */
    uint64_t again_ns;   /* the part of it after each piece's first way up and first way back */
    int64_t first, last; /* device_migration.id */
    uint8_t pieces[];
};

struct state {
    struct xs_hash pages; /* allocation.id to struct pages */
};

static struct pages *pages_of(struct state *state, const struct xs_allocation *a) {
    const uint64_t *found = xs_hash_find(&state->pages, (uint64_t)a->id, 0);
    if (found)
        return (struct pages *)(uintptr_t)*found;
    unsigned shift = SMALLEST_SHIFT;
    while (((a->bytes - 1) >> shift) >= MOST_PIECES) /* of more than 64 GiB */
        shift++;
    size_t bytes = sizeof(struct pages) + (size_t)((a->bytes - 1) >> shift) + 1;
    struct pages *pages = xs_realloc(NULL, bytes);
    memset(pages, 0, bytes);
    pages->address = a->address;
    pages->bytes = a->bytes;
    pages->shift = shift;
    *xs_hash_put(&state->pages, (uint64_t)a->id, 0) = (uint64_t)(uintptr_t)pages;
    return pages;
}

/* Up or down; true where it is not the piece's first way there. A piece may move page by page, which is one way. */
static bool move_piece(struct pages *pages, uint8_t *piece, bool up) {
    unsigned last = *piece & (WENT_UP | WENT_DOWN), trips = *piece & MOST_TRIPS;
    if (!up && last == WENT_UP && trips < MOST_TRIPS)
        trips += TRIP;
    *piece = (uint8_t)(trips | (up ? WENT_UP : WENT_DOWN));
    pages->thrashes = pages->thrashes || trips >= ENOUGH * TRIP;
    return trips >= (up ? TRIP : 2 * TRIP);
}

static void take_migration(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_migration_view *m = &event->u.migration;
    const struct xs_allocation *a = m->allocation;
    bool up = m->kind == MIGRATION_HTOD;
    if ((!up && m->kind != MIGRATION_DTOH) || !a || a->kind != XS_MEM_MANAGED || !a->bytes || !m->bytes)
        return;
    struct pages *pages = pages_of(detection->state, a);
    uint64_t offset = m->address - pages->address, room = pages->bytes - offset;
    uint64_t length = m->bytes < room ? m->bytes : room;
    uint64_t first = offset >> pages->shift, last = (offset + length - 1) >> pages->shift, again = 0;
    for (uint64_t i = first; i <= last; i++)
        again += move_piece(pages, &pages->pieces[i], up);
    uint64_t ns = (uint64_t)event->return_ns - (uint64_t)event->enter_ns;
    pages->ns += ns;
    pages->again_ns += (uint64_t)((double)ns * (double)again / (double)(last - first + 1) + 0.5);
    pages->first = pages->first ? pages->first : event->id;
    pages->last = event->id;
}

static void take_end(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_allocation *a = event->u.allocation;
    const uint64_t *found = xs_hash_find(&state->pages, (uint64_t)a->id, 0);
    if (!found)
        return;
    struct pages *pages = (struct pages *)(uintptr_t)*found;
    if (pages->thrashes) {
        struct xs_instance instance = {.site = a->site,
                                       .at_ns = a->enter_ns,
                                       .bytes = a->bytes,
                                       .cost = {.device_ns = pages->ns, .device_known = true},
                                       .removable = {.device_ns = pages->again_ns, .device_known = true}};
        xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
        xs_add_evidence(&instance, XS_EVIDENCE_MIGRATION, pages->first, "the first migration");
        xs_add_evidence(&instance, XS_EVIDENCE_MIGRATION, pages->last, "the last one");
        xs_report_instance(detection, &instance);
        xs_claim_unshared(detection, instance.site, &instance.removable);
    }
    xs_hash_remove(&state->pages, (uint64_t)a->id, 0);
    free(pages);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    if (event->on == XS_ON_MIGRATION)
        take_migration(detection, event);
    else
        take_end(detection, event);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->pages, entry));)
        free((struct pages *)(uintptr_t)entry->value);
    xs_hash_free(&state->pages);
}

const struct xs_detector xs_detector_managed_thrash = {
    .id = "managed-thrash",
    .title = "managed memory whose pages go to the device and back",
    .definition = "Pages of managed memory went to the device and back at least 3 times.",
    .remedy = "Keep the pages on one side: compute there, prefetch the pages, or copy what is needed explicitly.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_KEEP_ON_DEVICE,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_MIGRATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LIVE),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .end = end,
};
