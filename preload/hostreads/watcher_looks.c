/* Has the part of the watcher that runs on the drain thread; see watcher.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/futex.h"
#include "preload/hostreads/host_reads_budget.h"
#include "preload/hostreads/watcher_internal.h"
#include "schema/clock.h"

/* A watch without a result is given up after this number of looks. */
#define MOST_LOOKS 3
/* In mode `auto`, this many regions are watched at a time. */
#define AT_A_TIME 8
/* A thread of the program waits for a look only if looks take less than this. */
#define MOST_ASKED_NS UINT64_C(10000000)
/* The looks of a short program may take this long, although its share of the time is less. */
#define ADVANCE_NS UINT64_C(3000000)
/* How long making a region ready and reading it takes for each GiB of resident memory, before the first look has shown
 * it (measured, host_reads_budget.h). */
#define FIRST_NS_PER_GIB UINT64_C(20000000)

static struct {
    struct xs_host_reads_budget budget;
    struct xs_host_read results[XS_WATCHES * 4];
    unsigned n_results;
    struct xs_host_reads_region taken[XS_WATCHES]; /* the regions of one look, side by side */
    unsigned of[XS_WATCHES];                       /* their watches */
    unsigned n_taken;
    uint64_t last_ns; /* how long the last look took */
    uint64_t random;
    bool has_started;
} looks;

/* Returns about how long the first look will take. */
static uint64_t first_look_ns(void) {
    char text[64] = "";
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return UINT64_MAX / 2;
    char *resident = fgets(text, sizeof text, file) ? strchr(text, ' ') : NULL;
    fclose(file);
    uint64_t bytes = resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return (bytes >> 20) * FIRST_NS_PER_GIB >> 10;
}

void xs_host_watch_start(const char *mode, unsigned per_million) {
    int number = strcmp(mode, "all") == 0    ? XS_HOST_WATCH_ALL
                 : strcmp(mode, "auto") == 0 ? XS_HOST_WATCH_AUTO
                                             : XS_HOST_WATCH_OFF;
    if (number == XS_HOST_WATCH_OFF || !xs_host_reads_start())
        return;
    looks.random = xs_monotonic_ns() | 1;
    xs_host_reads_budget_start(&looks.budget, xs_monotonic_ns(), per_million);
    looks.has_started = true;
    atomic_store(&xs_host_watch_mode, number);
}

/* ---- the regions of one look ---- */

static void take(unsigned watch) {
    looks.of[looks.n_taken] = watch;
    looks.taken[looks.n_taken++] = xs_watcher.regions[watch];
}

/* Returns a bit for each piece of which something was read, and sets the number of pieces. The trace has pieces of
 * about the same size, so an edge counts as a part of the piece beside it. */
static uint32_t read_pieces_of(const struct xs_host_reads_region *region, unsigned *pieces) {
    unsigned first = region->has_edge[0];
    uint32_t bits = 0;
    *pieces = region->n_pieces - first - region->has_edge[1];
    for (unsigned i = 0; i < region->n_pieces; i++) {
        unsigned inner = i < first ? 0 : i - first;
        inner = inner < *pieces ? inner : *pieces - 1;
        bits |= region->pieces[i].read_bytes ? UINT32_C(1) << inner : 0;
    }
    return bits;
}

static void add_result(const struct xs_watch *w, const struct xs_host_reads_region *region,
                       enum xs_host_reads_doubt doubt) {
    if (looks.n_results == sizeof looks.results / sizeof *looks.results)
        return; /* the trace has no row for it, as for a watch without a result */
    unsigned pieces;
    uint32_t read_pieces = read_pieces_of(region, &pieces);
    looks.results[looks.n_results++] = (struct xs_host_read){.id = w->id,
                                                             .watched_bytes = region->watched_bytes,
                                                             .read_bytes = region->read_bytes,
                                                             .edge_read_bytes = region->edge_read_bytes,
                                                             .pieces = pieces,
                                                             .read_pieces = read_pieces,
                                                             .doubt = doubt};
}

static void end_watch(struct xs_watch *w) {
    atomic_store(&w->address, 0);
    atomic_store(&w->allocation, 0);
    w->state = XS_WATCH_UNUSED;
    atomic_store(&w->is_begun, false);
    w->is_asked = false;
    w->id = 0;
}

/* Ends a watch that was read in this look. */
static void conclude(unsigned taken) {
    struct xs_host_reads_region *region = &looks.taken[taken];
    struct xs_watch *w = &xs_watcher.watches[looks.of[taken]];
    if (w->state == XS_WATCH_WATCHING)
        add_result(w, region, atomic_load(&w->is_late) ? XS_HOST_READS_LATE : region->doubt);
    xs_host_reads_release(region, 1);
    xs_watcher.regions[looks.of[taken]] = *region;
    end_watch(w);
}

static void read_taken(void) {
    if (looks.n_taken)
        xs_host_reads_read(looks.taken, looks.n_taken);
}

/* Makes the regions of watches ready, or ends those watches. */
static void make_ready(void) {
    if (looks.n_taken)
        xs_host_reads_watch(looks.taken, looks.n_taken);
    for (unsigned i = 0; i < looks.n_taken; i++) {
        struct xs_watch *w = &xs_watcher.watches[looks.of[i]];
        xs_watcher.regions[looks.of[i]] = looks.taken[i];
        if (looks.taken[i].is_watched) {
            w->state = XS_WATCH_READY;
            continue;
        }
        if (w->id)
            add_result(w, &looks.taken[i], looks.taken[i].doubt);
        end_watch(w);
    }
    looks.n_taken = 0;
}

static void take_wanted(void) {
    looks.n_taken = 0;
    for (unsigned i = 0; i < XS_WATCHES; i++) {
        const struct xs_watch *w = &xs_watcher.watches[i];
        if (w->state != XS_WATCH_WANTED)
            continue;
        xs_watcher.regions[i] = (struct xs_host_reads_region){.address = w->address, .bytes = w->bytes};
        take(i);
    }
}

/* ---- looks that threads wait for ---- */

static void answer(void) {
    looks.n_taken = 0;
    for (unsigned i = 0; i < XS_WATCHES; i++)
        if (xs_watcher.watches[i].is_asked || xs_watcher.watches[i].state == XS_WATCH_FAILED)
            take(i);
    read_taken();
    for (unsigned i = 0; i < looks.n_taken; i++)
        conclude(i);
    take_wanted();
    make_ready();
}

/* ---- looks of mode `auto` ---- */

/* True if nothing that comes later can change what this look has shown of the watched copy. After the third copy was
 * begun, the second one, which overwrote the watched bytes, is over. */
static bool is_decided(const struct xs_watch *w, const struct xs_host_reads_region *region) {
    bool is_overwritten = !w->is_pageable && w->calls >= 3, is_read = region->read_bytes == region->watched_bytes;
    return w->state != XS_WATCH_WATCHING || region->doubt || is_overwritten || is_read || atomic_load(&w->is_late);
}

static void read_all(void) {
    looks.n_taken = 0;
    for (unsigned i = 0; i < XS_WATCHES; i++)
        if (xs_watcher.watches[i].state != XS_WATCH_UNUSED)
            take(i);
    read_taken();
    for (unsigned i = 0; i < looks.n_taken; i++) {
        struct xs_watch *w = &xs_watcher.watches[looks.of[i]];
        if (++w->looks >= MOST_LOOKS && !is_decided(w, &looks.taken[i]))
            atomic_store(&w->is_late, true);
        if (is_decided(w, &looks.taken[i]))
            conclude(i);
    }
}

static unsigned random_below(unsigned limit) {
    looks.random = looks.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((looks.random >> 33) % limit);
}

/* Returns the candidate whose stack and size was chosen least often; among several, any. NULL: there is none. */
static struct xs_candidate *choose(bool may_be_pageable) {
    struct xs_candidate *best = NULL;
    unsigned first = random_below(XS_CANDIDATES);
    for (unsigned i = 0; i < XS_CANDIDATES; i++) {
        struct xs_candidate *c = &xs_watcher.candidates[(first + i) % XS_CANDIDATES];
        if (atomic_load_explicit(&c->state, memory_order_acquire) == XS_CANDIDATE_FULL &&
            (may_be_pageable || !c->is_pageable) && (!best || c->taken < best->taken))
            best = c;
    }
    return best;
}

static bool take_candidate(unsigned watch, bool may_be_pageable) {
    struct xs_candidate *c = choose(may_be_pageable);
    if (!c)
        return false;
    struct xs_watch *w = &xs_watcher.watches[watch];
    xs_watch_begin(w, c->bytes, c->is_pageable, c->is_pageable, 0);
    atomic_store(&w->address, c->address);
    atomic_store(&w->allocation, c->allocation);
    c->taken++;
    atomic_store(&c->state, XS_CANDIDATE_EMPTY);
    return true;
}

static void choose_some(void) {
    bool may_be_pageable = looks.last_ns < MOST_ASKED_NS;
    unsigned count = 0;
    for (unsigned i = 0; i < XS_WATCHES; i++) {
        count += xs_watcher.watches[i].state != XS_WATCH_UNUSED;
        may_be_pageable &= xs_watcher.watches[i].state == XS_WATCH_UNUSED || !xs_watcher.watches[i].is_pageable;
    }
    for (unsigned i = 0; i < XS_WATCHES && count < AT_A_TIME; i++) {
        if (xs_watcher.watches[i].state != XS_WATCH_UNUSED)
            continue;
        if (!take_candidate(i, may_be_pageable))
            break;
        count++;
        may_be_pageable &= !xs_watcher.watches[i].is_pageable;
    }
    /* The addresses of the others may be old by the time of the next look. */
    for (unsigned i = 0; i < XS_CANDIDATES; i++) {
        uint32_t full = XS_CANDIDATE_FULL;
        atomic_compare_exchange_strong(&xs_watcher.candidates[i].state, &full, XS_CANDIDATE_EMPTY);
    }
    take_wanted();
    make_ready();
}

static bool has_candidate(void) { return choose(true) != NULL; }

static bool has_watch(void) {
    for (unsigned i = 0; i < XS_WATCHES; i++)
        if (xs_watcher.watches[i].state != XS_WATCH_UNUSED)
            return true;
    return false;
}

/* Returns the time of the next look. */
static uint64_t next_ns(void) {
    uint64_t next = xs_host_reads_budget_next_ns(&looks.budget), start = looks.budget.start_ns;
    if (looks.budget.looks) {
        uint64_t advance = looks.budget.spent_ns < ADVANCE_NS ? ADVANCE_NS - looks.budget.spent_ns : 0;
        return looks.budget.most_ns <= advance ? start : next;
    }
    uint64_t first = first_look_ns();
    return first <= ADVANCE_NS ? start : start + (first - ADVANCE_NS) / looks.budget.per_million * 1000000;
}

void xs_host_watch_look(unsigned *wait_ms) {
    int mode = atomic_load(&xs_host_watch_mode);
    uint32_t asked = atomic_load(&xs_watcher.asked);
    bool is_asked = asked != atomic_load(&xs_watcher.answered);
    uint64_t now = xs_monotonic_ns();
    if (mode == XS_HOST_WATCH_OFF)
        return;
    bool may_look = mode == XS_HOST_WATCH_AUTO && (has_watch() || has_candidate());
    uint64_t next = may_look ? next_ns() : UINT64_MAX;
    if (may_look && next > now && (next - now) / 1000000 < *wait_ms)
        *wait_ms = (unsigned)((next - now) / 1000000) + 1;
    if (!is_asked && next > now)
        return;
    xs_lock(&xs_watcher.lock);
    asked = atomic_load(&xs_watcher.asked);
    answer();
    looks.last_ns = xs_monotonic_ns() - now;
    atomic_store(&xs_watcher.answered, asked);
    xs_futex_wake(&xs_watcher.answered);
    if (next <= now) {
        read_all();
        choose_some();
        looks.last_ns = xs_monotonic_ns() - now;
    }
    xs_unlock(&xs_watcher.lock);
    xs_host_reads_budget_spent(&looks.budget, xs_monotonic_ns() - now);
}

void xs_host_watch_end(void) {
    if (!looks.has_started)
        return;
    uint64_t now = xs_monotonic_ns();
    atomic_store(&xs_host_watch_mode, XS_HOST_WATCH_OFF);
    xs_lock(&xs_watcher.lock);
    looks.n_taken = 0;
    for (unsigned i = 0; i < XS_WATCHES; i++)
        if (xs_watcher.watches[i].state == XS_WATCH_WATCHING)
            take(i);
    read_taken();
    for (unsigned i = 0; i < looks.n_taken; i++)
        conclude(i);
    atomic_store(&xs_watcher.answered, atomic_load(&xs_watcher.asked));
    xs_futex_wake(&xs_watcher.answered);
    xs_unlock(&xs_watcher.lock);
    looks.budget.spent_ns += xs_monotonic_ns() - now;
}

int xs_host_watch_write(struct xs_store *store) {
    int status = XS_OK;
    if (!looks.has_started)
        return status;
    for (unsigned i = 0; i < looks.n_results && status == XS_OK; i++)
        status = xs_store_host_read(store, &looks.results[i]);
    looks.n_results = 0;
    return status == XS_OK ? xs_store_meta_int(store, "cost.host_reads_ns", (int64_t)looks.budget.spent_ns) : status;
}
