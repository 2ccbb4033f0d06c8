/* Watches regions; see host_reads.h. If a mapping is not as this file made it, the result is a doubt, and never
 * "unread". */
#include "preload/hostreads/host_reads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/hostreads/mappings.h"

#ifndef MADV_COLD
#define MADV_COLD 20 /* Linux 5.4 */
#endif

#define HUGE_BYTES (UINT64_C(2) << 20)
#define LEAST_PIECE_BYTES (UINT64_C(64) << 10)
/* The process keeps half of the mappings that it may have for itself, and we take this part of all at most. */
#define OUR_PART 64

static _Atomic unsigned forks;
static bool is_started; /* false in a forked child, so that all functions do nothing there */
static uint64_t page_bytes, most_mappings, our_mappings;

static void on_fork(void) { atomic_fetch_add(&forks, 1); }

static void on_fork_child(void) { is_started = false; }

bool xs_host_reads_start(void) {
    static bool has_handlers;
    char text[32] = "";
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    if (!file)
        return false;
    if (fgets(text, sizeof text, file))
        most_mappings = strtoull(text, NULL, 10);
    fclose(file);
    page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    our_mappings = 0;
    /* The count must rise before the child can read anything. */
    if (!has_handlers && pthread_atfork(on_fork, NULL, on_fork_child))
        return false;
    has_handlers = true;
    is_started = most_mappings > 0;
    return is_started;
}

static uint64_t size_of(const struct xs_host_reads_piece *piece) { return piece->end - piece->begin; }

static int advice_of(unsigned piece) { return piece % 2 ? MADV_RANDOM : MADV_SEQUENTIAL; }

static unsigned flags_of(unsigned piece) { return piece % 2 ? XS_MAPPING_RANDOM : XS_MAPPING_SEQUENTIAL; }

struct regions {
    struct xs_host_reads_region *all;
    size_t count;
    struct xs_mapping previous;
};

static uintptr_t down(uintptr_t address, uint64_t unit) { return address / unit * unit; }

static uintptr_t up(uintptr_t address, uint64_t unit) { return down(address + unit - 1, unit); }

/* Finds the pages of a region. False: it is too small. */
static bool find_pages(struct xs_host_reads_region *region) {
    region->begin = down(region->address, page_bytes);
    region->end = up(region->address + region->bytes, page_bytes);
    return region->end > region->begin && region->end - region->begin >= XS_HOST_READS_LEAST_BYTES;
}

/* Takes whole huge pages where the mapping has them. At the edge of a mapping there are small pages. Huge pages are not
 * torn apart, because that would slow the program down. */
static void widen(struct xs_host_reads_region *region, const struct xs_mapping *mapping) {
    uintptr_t begin = down(region->begin, HUGE_BYTES), end = up(region->end, HUGE_BYTES);
    region->begin = begin >= mapping->begin ? begin : region->begin;
    region->end = end <= mapping->end ? end : region->end;
}

static void add_piece(struct xs_host_reads_region *region, uintptr_t begin, uintptr_t end) {
    region->pieces[region->n_pieces++] = (struct xs_host_reads_piece){.begin = begin, .end = end};
}

/* Decides which ends of a region are edges. If they would be most of it, as with huge pages, there are none. */
static void find_edges(struct xs_host_reads_region *region, uint64_t unit) {
    bool has_first = region->address > region->begin, has_last = region->address + region->bytes < region->end;
    bool is_large = region->end - region->begin >= 4 * unit;
    region->has_edge[0] = is_large && has_first;
    region->has_edge[1] = is_large && has_last;
}

/* The number of pieces is even where it can be, so that the last piece and the first one of a region right behind have
 * different advice. Otherwise both would become one mapping. */
static void plan_pieces(struct xs_host_reads_region *region, uint64_t unit) {
    find_edges(region, unit);
    unsigned edges = (unsigned)region->has_edge[0] + region->has_edge[1], most = XS_HOST_READS_PIECES - edges;
    uintptr_t from = region->begin + region->has_edge[0] * unit, to = region->end - region->has_edge[1] * unit;
    uint64_t bytes = to - from, least = unit < LEAST_PIECE_BYTES ? LEAST_PIECE_BYTES : unit;
    unsigned pieces = bytes / least < most ? (unsigned)(bytes / least) : most;
    pieces -= pieces > 1 && (pieces + edges) % 2;
    pieces = pieces ? pieces : 1;
    region->n_pieces = 0;
    if (region->has_edge[0])
        add_piece(region, region->begin, from);
    uintptr_t begin = from;
    for (unsigned i = 1; i <= pieces; i++) {
        uintptr_t end = i == pieces ? to : down(from + bytes / pieces * i, unit);
        add_piece(region, begin, end);
        begin = end;
    }
    if (region->has_edge[1])
        add_piece(region, to, region->end);
}

/* Decides whether the region may be watched. */
static enum xs_host_reads_doubt judge(struct xs_host_reads_region *region, const struct xs_mapping *mapping,
                                      const struct xs_mapping *previous) {
    if (region->end > mapping->end || !mapping->is_anonymous || !mapping->is_writable || mapping->flags)
        return XS_HOST_READS_FOREIGN;
    if (mapping->huge_kib)
        widen(region, mapping);
    /* The first piece would become one mapping with what is advised in the same way. */
    if (region->begin == mapping->begin && previous->end == mapping->begin && (previous->flags & XS_MAPPING_SEQUENTIAL))
        return XS_HOST_READS_FOREIGN;
    if (mapping->shared_kib)
        return XS_HOST_READS_SHARED;
    plan_pieces(region, mapping->huge_kib ? HUGE_BYTES : page_bytes);
    return XS_HOST_READS_NO_DOUBT;
}

static void see_candidates(const struct xs_mapping *mapping, void *context) {
    struct regions *regions = context;
    for (size_t i = 0; i < regions->count; i++) {
        struct xs_host_reads_region *region = &regions->all[i];
        if (region->doubt == XS_HOST_READS_FOREIGN && region->begin >= mapping->begin && region->begin < mapping->end)
            region->doubt = judge(region, mapping, &regions->previous);
    }
    regions->previous = *mapping;
}

/* Returns the end of the region that ends last, of those with pages. */
static uintptr_t last_end(const struct xs_host_reads_region *regions, size_t count) {
    uintptr_t end = 0;
    for (size_t i = 0; i < count; i++)
        end = regions[i].end > end ? regions[i].end : end;
    return end;
}

static void take_back(const struct xs_host_reads_piece *piece) {
    (void)madvise((void *)piece->begin, size_of(piece), MADV_NORMAL);
}

static void divide(struct xs_host_reads_region *region) {
    for (unsigned i = 0; i < region->n_pieces; i++) {
        const struct xs_host_reads_piece *piece = &region->pieces[i];
        if (madvise((void *)piece->begin, size_of(piece), advice_of(i))) {
            for (unsigned k = 0; k < i; k++)
                take_back(&region->pieces[k]);
            region->doubt = XS_HOST_READS_CROWDED;
            return;
        }
    }
    region->is_watched = true;
    region->watched_bytes = region->end - region->begin;
    our_mappings += region->n_pieces + 1;
}

/* True if a region before this one has pages of it. */
static bool is_taken(const struct xs_host_reads_region *regions, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (regions[i].is_watched && regions[i].begin < regions[at].end && regions[at].begin < regions[i].end)
            return true;
    return false;
}

void xs_host_reads_watch(struct xs_host_reads_region *regions, size_t count) {
    struct xs_mappings_glance glance = {0};
    bool can = is_started && xs_mappings_glance(&glance);
    for (size_t i = 0; i < count; i++) {
        struct xs_host_reads_region *region = &regions[i];
        *region = (struct xs_host_reads_region){.address = region->address, .bytes = region->bytes};
        region->doubt = !can                        ? XS_HOST_READS_NO_KERNEL
                        : glance.have_other_readers ? XS_HOST_READS_OTHERS
                        : !find_pages(region)       ? XS_HOST_READS_SMALL
                                                    : XS_HOST_READS_FOREIGN; /* until its mapping is found */
    }
    struct regions search = {.all = regions, .count = count};
    if (!can || glance.have_other_readers || !xs_mappings_walk(last_end(regions, count), see_candidates, &search))
        return;
    for (size_t i = 0; i < count; i++) {
        struct xs_host_reads_region *region = &regions[i];
        const uint64_t more = XS_HOST_READS_PIECES + 1;
        if (region->doubt)
            continue;
        if (is_taken(regions, i)) {
            region->doubt = XS_HOST_READS_FOREIGN;
            continue;
        }
        if (glance.count + more > most_mappings / 2 || our_mappings + more > most_mappings / OUR_PART) {
            region->doubt = XS_HOST_READS_CROWDED;
            continue;
        }
        divide(region);
        glance.count += more;
        xs_host_reads_clear(region);
    }
}

void xs_host_reads_clear(struct xs_host_reads_region *region) {
    if (!is_started || !region->is_watched)
        return;
    region->forks = atomic_load(&forks);
    /* The first call leaves some pages in a list of this processor, which still count as active; the second call
     * begins by emptying this list. */
    void *begin = (void *)region->begin;
    if (madvise(begin, region->watched_bytes, MADV_COLD) || madvise(begin, region->watched_bytes, MADV_COLD))
        region->doubt = XS_HOST_READS_NO_KERNEL;
    else
        region->doubt = XS_HOST_READS_NO_DOUBT;
}

static void see_pieces(const struct xs_mapping *mapping, void *context) {
    struct regions *regions = context;
    for (size_t i = 0; i < regions->count; i++) {
        struct xs_host_reads_region *region = &regions->all[i];
        if (!region->is_watched || mapping->begin < region->begin || mapping->begin >= region->end)
            continue;
        for (unsigned k = 0; k < region->n_pieces; k++) {
            struct xs_host_reads_piece *piece = &region->pieces[k];
            if (piece->begin != mapping->begin || piece->end != mapping->end || mapping->flags != flags_of(k) ||
                !mapping->is_anonymous)
                continue;
            piece->is_found = true;
            piece->read_bytes = mapping->referenced_kib << 10;
            if (!region->doubt && mapping->shared_kib)
                region->doubt = XS_HOST_READS_SHARED;
            if (!region->doubt && mapping->resident_kib << 10 != size_of(piece))
                region->doubt = XS_HOST_READS_SWAPPED;
        }
    }
}

/* One active page makes all of the region count as read, because others may still be kept back. */
static void see_active(uintptr_t begin, uint64_t active, void *context) {
    struct regions *regions = context;
    for (size_t i = 0; i < regions->count; i++) {
        struct xs_host_reads_region *region = &regions->all[i];
        for (unsigned k = 0; region->is_watched && k < region->n_pieces; k++) {
            if (region->pieces[k].begin != begin)
                continue;
            region->pieces[k].is_told = true;
            region->is_active |= active > 0;
        }
    }
}

static void conclude(struct xs_host_reads_region *region) {
    region->read_bytes = region->edge_read_bytes = 0;
    for (unsigned k = 0; k < region->n_pieces; k++) {
        struct xs_host_reads_piece *piece = &region->pieces[k];
        if (region->is_active)
            piece->read_bytes = size_of(piece);
        region->read_bytes += piece->read_bytes;
        if ((k == 0 && region->has_edge[0]) || (k + 1 == region->n_pieces && region->has_edge[1]))
            region->edge_read_bytes += piece->read_bytes;
        if (!region->doubt && !piece->is_found)
            region->doubt = XS_HOST_READS_CHANGED;
        if (!region->doubt && !piece->is_told)
            region->doubt = XS_HOST_READS_NO_KERNEL;
    }
    if (!region->doubt && region->forks != atomic_load(&forks))
        region->doubt = XS_HOST_READS_SHARED;
}

/* Forgets what the last reading found. */
static void forget(struct xs_host_reads_region *region) {
    region->is_active = false;
    for (unsigned k = 0; k < region->n_pieces; k++)
        region->pieces[k].is_found = region->pieces[k].is_told = false;
}

void xs_host_reads_read(struct xs_host_reads_region *regions, size_t count) {
    if (!is_started)
        return;
    struct regions search = {.all = regions, .count = count};
    struct xs_mappings_glance glance = {0};
    for (size_t i = 0; i < count; i++)
        forget(&regions[i]);
    uintptr_t end = last_end(regions, count);
    bool can = xs_mappings_walk(end, see_pieces, &search) && xs_mappings_active(end, see_active, &search) &&
               xs_mappings_glance(&glance);
    for (size_t i = 0; i < count; i++) {
        struct xs_host_reads_region *region = &regions[i];
        if (!region->is_watched)
            continue;
        if (!region->doubt && (!can || glance.have_other_readers))
            region->doubt = can ? XS_HOST_READS_OTHERS : XS_HOST_READS_NO_KERNEL;
        conclude(region);
    }
}

void xs_host_reads_release(struct xs_host_reads_region *regions, size_t count) {
    for (size_t i = 0; i < count && is_started; i++) {
        struct xs_host_reads_region *region = &regions[i];
        for (unsigned k = 0; region->is_watched && k < region->n_pieces; k++)
            if (region->pieces[k].is_found)
                take_back(&region->pieces[k]);
        if (region->is_watched)
            our_mappings -= region->n_pieces + 1;
        region->is_watched = false;
    }
}
