/* Gives numbers to sites; see site.h. */
#include "analyzer/trace/site.h"
#include "analyzer/base/grow.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/looked_stacks.h"
#include "analyzer/trace/scan.h"

enum { STACKS_LIMIT = 1 << 22 }; /* capture numbers stacks from 1; a damaged trace may have any number */

static void add(struct xs_sites *sites, int64_t id, char *name, enum xs_category category) {
    sites->entry_points = xs_realloc(sites->entry_points, (sites->count + 1) * sizeof *sites->entry_points);
    sites->entry_points[sites->count] = (struct xs_entry_point){id, name, category, xs_entry_traits(name)};
    if (sites->count)
        *xs_hash_put(&sites->by_id, (uint64_t)id, 0) = sites->count;
    if (id >= 0 && id < (int64_t)(sizeof sites->near / sizeof *sites->near))
        sites->near[id] = sites->count;
    sites->count++;
}

static int read_entry_points(struct xs_sites *sites, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct xs_scan scan;
    add(sites, 0, xs_strdup("unknown"), XS_CAT_TRANSFER);
    xs_scan_begin(&scan, trace, "SELECT id, name, category FROM entry_point", message, damaged);
    while (xs_scan_row(&scan))
        add(sites, xs_scan_int(&scan, 0), xs_scan_name(&scan, 1),
            (enum xs_category)xs_scan_kind(&scan, 2, XS_CATEGORY_COUNT));
    return xs_scan_end(&scan);
}

/* Keeps the places of all stacks in an array, because the analysis needs a place for each call. */
static void keep_places(struct xs_sites *sites, int64_t largest) {
    sites->place_count = xs_callsites_place_count(sites->callsites);
    sites->stack_limit = largest < STACKS_LIMIT ? largest + 1 : STACKS_LIMIT;
    sites->places = xs_realloc(NULL, (size_t)sites->stack_limit * sizeof *sites->places);
    sites->places[0] = 0;
    for (int64_t stack = 1; stack < sites->stack_limit; stack++) {
        uint32_t place = xs_callsites_place(sites->callsites, stack);
        sites->places[stack] = place <= sites->place_count ? place : 0;
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&sites->looked, entry));)
        if (entry->low < (uint64_t)sites->stack_limit && entry->value < (uint64_t)sites->stack_limit)
            sites->places[entry->low] = sites->places[entry->value];
    sites->hints = xs_zeroed(sites->place_count + 1, sizeof *sites->hints);
}

int xs_sites_read(struct xs_sites *sites, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    char cwd[4096];
    int64_t stacks = 0, ranges = 0;
    *sites = (struct xs_sites){0};
    sites->cwd = xs_strdup(xs_trace_meta_text(trace, "cwd", cwd, sizeof cwd, ""));
    int status = read_entry_points(sites, trace, message, damaged);
    if (status >= 0)
        status = xs_scan_one(trace, "SELECT max(id) FROM stack", &stacks, message);
    if (status >= 0)
        status = xs_scan_one(trace, "SELECT max(id) FROM nvtx_range", &ranges, message);
    if (status >= 0 && (stacks > 0 || ranges > 0))
        status = xs_callsites_open(trace, &sites->callsites, message);
    if (status >= 0 && stacks > 0)
        status = xs_looked_stacks_read(&sites->looked, trace, message, damaged);
    if (status >= 0 && stacks > 0)
        keep_places(sites, stacks);
    if (status >= 0 && stacks > 0)
        sites->source_text = xs_source_text_open(trace);
    return status;
}

void xs_sites_free(struct xs_sites *sites) {
    for (uint32_t i = 0; i < sites->count; i++)
        free(sites->entry_points[i].name);
    free(sites->entry_points);
    xs_hash_free(&sites->by_id);
    xs_hash_free(&sites->by_place);
    xs_hash_free(&sites->looked);
    xs_callsites_close(sites->callsites);
    free(sites->places);
    free(sites->placed);
    free(sites->hints);
    xs_source_text_close(sites->source_text);
    free(sites->cwd);
    *sites = (struct xs_sites){0};
}

uint32_t xs_sites_place(const struct xs_sites *sites, int64_t stack) {
    if (stack <= 0 || !sites->places)
        return 0;
    if (stack < sites->stack_limit)
        return sites->places[stack];
    uint32_t place = xs_callsites_place(sites->callsites, stack);
    return place <= sites->place_count ? place : 0;
}

static uint32_t entry_of(const struct xs_sites *sites, int64_t entry_point) {
    if (entry_point >= 0 && entry_point < (int64_t)(sizeof sites->near / sizeof *sites->near))
        return sites->near[entry_point];
    const uint64_t *site = xs_hash_find(&sites->by_id, (uint64_t)entry_point, 0);
    return site ? (uint32_t)*site : 0;
}

static uint32_t add_placed(struct xs_sites *sites, uint32_t entry, uint32_t place, int64_t stack) {
    xs_grow(&sites->placed, sites->placed_count, &sites->placed_capacity, sizeof *sites->placed);
    sites->placed[sites->placed_count] = (struct xs_site){entry, place, stack};
    return sites->count + sites->placed_count++;
}

uint32_t xs_site_of(struct xs_sites *sites, int64_t entry_point, int64_t stack) {
    uint32_t entry = entry_of(sites, entry_point);
    uint32_t place = xs_sites_place(sites, stack);
    if (!place)
        return entry;
    struct xs_site_hint *hint = &sites->hints[place];
    if (hint->site && hint->entry == entry)
        return hint->site;
    uint64_t *site = xs_hash_put(&sites->by_place, entry, place);
    if (!*site)
        *site = add_placed(sites, entry, place, xs_looked_stack(&sites->looked, stack));
    *hint = (struct xs_site_hint){entry, (uint32_t)*site};
    return (uint32_t)*site;
}

struct xs_site xs_site_parts(const struct xs_sites *sites, uint32_t site) {
    if (site < sites->count)
        return (struct xs_site){.entry = site};
    return site - sites->count < sites->placed_count ? sites->placed[site - sites->count] : (struct xs_site){0};
}

const struct xs_frame *xs_site_place_frame(const struct xs_sites *sites, uint32_t site) {
    uint32_t place = xs_site_parts(sites, site).place;
    return place ? xs_callsites_place_frame(sites->callsites, place) : NULL;
}

enum xs_framework xs_site_framework(const struct xs_sites *sites, uint32_t site) {
    struct xs_site parts = xs_site_parts(sites, site);
    enum xs_framework framework = XS_FRAMEWORK_NONE;
    size_t count = 0;
    const struct xs_frame *frames =
        parts.stack && sites->callsites ? xs_callsites_frames(sites->callsites, parts.stack, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (xs_frame_is_users(&frames[i]))
            break;
        const char *file = frames[i].python ? frames[i].file : frames[i].module;
        enum xs_framework of_frame = file ? xs_library_framework(file) : XS_FRAMEWORK_NONE;
        framework = of_frame ? of_frame : framework;
    }
    return framework;
}
