/* Has the part of the watcher that runs on threads of the program; see watcher.h. If a thread gets no answer in time,
 * or if it does not get the lock although the watched copy has begun, it marks the watch as late: then nobody can say
 * what was read. */
#include "preload/hostreads/watcher.h"

#include <string.h>

#include "preload/core/drain_bell.h"
#include "preload/core/futex.h"
#include "preload/core/mix.h"
#include "preload/core/own_cost.h"
#include "preload/core/thread.h"
#include "preload/hostreads/watcher_internal.h"

#define PATIENCE_MS 20u
#define PATIENCE_ALL_MS 2000u

struct xs_watcher xs_watcher = {.lock = XS_LOCK_INITIALIZER};
_Atomic int xs_host_watch_mode;
XS_TLS unsigned xs_host_watch_own;

static bool watches_all(void) {
    return atomic_load_explicit(&xs_host_watch_mode, memory_order_relaxed) == XS_HOST_WATCH_ALL;
}

void xs_host_watch_staged(bool is_staged) { atomic_store(&xs_watcher.is_staged, is_staged); }

/* True if the accessed bits of the copy's destination can show what the host reads of it. A copy into managed memory or
 * an array, a box, and a copy of a batch are not watched. */
static bool is_fit(const struct xs_event *e) {
    const struct xs_event_transfer *t = &e->transfer;
    if (e->kind != XS_EVENT_TRANSFER || e == &xs_scratch_event || t->direction != XS_DIR_D2H ||
        (e->flags & (XS_FLAG_BOX | XS_FLAG_BATCH | XS_FLAG_CAPTURED)) || t->bytes < XS_HOST_READS_LEAST_BYTES)
        return false;
    if (t->dst_kind == XS_MEM_PAGEABLE)
        return !(e->flags & XS_FLAG_ASYNC) || atomic_load_explicit(&xs_watcher.is_staged, memory_order_relaxed);
    return t->dst_kind == XS_MEM_PINNED || t->dst_kind == XS_MEM_REGISTERED;
}

/* Asks the drain thread to look, and waits for the answer. `question` is its number. False: there was no answer in
 * time. */
static bool wait_for(uint32_t question) {
    unsigned patience_ms = watches_all() ? PATIENCE_ALL_MS : PATIENCE_MS;
    uint64_t until = xs_monotonic_ns() + patience_ms * UINT64_C(1000000);
    uint32_t seen;
    xs_drain_wake();
    while ((int32_t)((seen = atomic_load(&xs_watcher.answered)) - question) < 0 && xs_monotonic_ns() < until)
        xs_futex_wait(&xs_watcher.answered, seen, patience_ms);
    return (int32_t)(seen - question) >= 0;
}

/* The lock must be held. */
static uint32_t ask(void) { return atomic_fetch_add(&xs_watcher.asked, 1) + 1; }

static void watch(struct xs_watch *w, struct xs_event *e) {
    w->state = XS_WATCH_WATCHING;
    atomic_store(&w->is_begun, true);
    w->calls = 1;
    w->looks = 0;
    if (!w->id)
        w->id = atomic_fetch_add(&xs_watcher.ids, 1) + 1;
    e->flags |= XS_FLAG_WATCHED;
    e->transfer.host_read = w->id;
    xs_host_watch_own = (unsigned)(w - xs_watcher.watches) + 1;
}

/* ---- mode `all` ---- */

static bool overlaps(const struct xs_watch *w, uint64_t address, uint64_t bytes) {
    bool is_there = w->state == XS_WATCH_READY || w->state == XS_WATCH_WATCHING;
    return is_there && w->address < address + bytes && address < w->address + w->bytes;
}

/* Fills an unused watch. NULL: there is none. */
static struct xs_watch *want(const struct xs_event *e) {
    const struct xs_event_transfer *t = &e->transfer;
    for (struct xs_watch *w = xs_watcher.watches; w < xs_watcher.watches + XS_WATCHES; w++)
        if (w->state == XS_WATCH_UNUSED) {
            bool is_pageable = t->dst_kind == XS_MEM_PAGEABLE;
            xs_watch_begin(w, t->bytes, is_pageable, is_pageable || !(e->flags & XS_FLAG_ASYNC),
                           atomic_fetch_add(&xs_watcher.ids, 1) + 1);
            atomic_store(&w->address, t->dst);
            atomic_store(&w->allocation, w->is_pageable ? 0 : t->dst_allocation);
            return w;
        }
    return NULL;
}

/* Asks for a look at all regions that the copy will write to. True: there are such regions. */
static bool ask_about(uint64_t address, uint64_t bytes) {
    bool has_some = false;
    for (struct xs_watch *w = xs_watcher.watches; w < xs_watcher.watches + XS_WATCHES; w++)
        if (overlaps(w, address, bytes))
            has_some = w->is_asked = true;
    return has_some;
}

static void forget_question(struct xs_watch *mine, uint64_t address, uint64_t bytes) {
    for (struct xs_watch *w = xs_watcher.watches; w < xs_watcher.watches + XS_WATCHES; w++)
        if (overlaps(w, address, bytes))
            atomic_store(&w->is_late, true);
    if (mine && mine->state == XS_WATCH_WANTED)
        mine->state = XS_WATCH_UNUSED;
}

static void before_in_all(struct xs_event *e) {
    const uint64_t address = e->transfer.dst, bytes = e->transfer.bytes;
    const bool fit = is_fit(e);
    xs_lock(&xs_watcher.lock);
    bool has_some = ask_about(address, bytes);
    struct xs_watch *mine = fit ? want(e) : NULL;
    uint32_t id = mine ? mine->id : 0, question = mine || has_some ? ask() : 0;
    xs_unlock(&xs_watcher.lock);
    if (!question)
        return;
    bool is_answered = wait_for(question);
    xs_lock(&xs_watcher.lock);
    if (mine && is_answered && mine->state == XS_WATCH_READY && mine->id == id)
        watch(mine, e);
    else if (!is_answered)
        forget_question(mine && mine->id == id ? mine : NULL, address, bytes);
    if (id && is_answered && !xs_host_watch_own) { /* the trace says why it could not be watched */
        e->flags |= XS_FLAG_WATCHED;
        e->transfer.host_read = id;
    }
    xs_unlock(&xs_watcher.lock);
}

/* ---- mode `auto` ---- */

static unsigned class_of(uint64_t bytes) { return 64 - (unsigned)__builtin_clzll(bytes); }

/* Offers the copy to the drain thread. All copies of one stack, entry point and class of size use the same slot. */
static void offer(const struct xs_event *e, uint32_t stack) {
    const struct xs_event_transfer *t = &e->transfer;
    uint64_t key = (uint64_t)stack << 32 | (uint64_t)e->entry << 16 | class_of(t->bytes);
    struct xs_candidate *c = &xs_watcher.candidates[xs_mix_word(0, key) % XS_CANDIDATES];
    uint32_t empty = XS_CANDIDATE_EMPTY;
    if (atomic_load_explicit(&c->state, memory_order_relaxed) != XS_CANDIDATE_EMPTY ||
        !atomic_compare_exchange_strong(&c->state, &empty, XS_CANDIDATE_BUSY))
        return;
    c->address = t->dst;
    c->bytes = t->bytes;
    c->is_pageable = t->dst_kind == XS_MEM_PAGEABLE;
    c->allocation = c->is_pageable ? 0 : t->dst_allocation;
    atomic_store_explicit(&c->state, XS_CANDIDATE_FULL, memory_order_release);
}

static struct xs_watch *find(uint64_t address) {
    for (struct xs_watch *w = xs_watcher.watches; w < xs_watcher.watches + XS_WATCHES; w++)
        if (atomic_load_explicit(&w->address, memory_order_relaxed) == address)
            return w;
    return NULL;
}

/* Asks for a look at a watch, and waits. The caller holds the lock, and this function releases it. */
static void look_now(struct xs_watch *w) {
    w->is_asked = true;
    uint32_t question = ask();
    xs_unlock(&xs_watcher.lock);
    if (!wait_for(question))
        atomic_store(&w->is_late, true);
}

static void before_in_auto(struct xs_event *e, uint32_t stack) {
    struct xs_watch *w = find(e->transfer.dst);
    if (!w) {
        offer(e, stack);
        return;
    }
    if (!xs_try_lock(&xs_watcher.lock)) { /* often because the drain thread makes the region ready */
        if (atomic_load(&w->is_begun))
            atomic_store(&w->is_late, true);
        return;
    }
    bool is_same = w->address == e->transfer.dst && w->bytes == e->transfer.bytes &&
                   w->is_pageable == (e->transfer.dst_kind == XS_MEM_PAGEABLE);
    if (is_same && w->state == XS_WATCH_READY && !atomic_load(&w->is_late)) {
        watch(w, e);
    } else if (w->state == XS_WATCH_WATCHING && w->is_pageable) {
        look_now(w);
        return;
    } else if (w->state == XS_WATCH_WATCHING && is_same) {
        w->calls++;
    }
    xs_unlock(&xs_watcher.lock);
}

/* ---- the wrappers' calls ---- */

void xs_host_watch_before_copy(struct xs_event *e, uint32_t stack) {
    xs_host_watch_own = 0;
    if (watches_all()) {
        struct xs_own_cost_work work = xs_own_cost_work_begin();
        if (e->kind == XS_EVENT_TRANSFER && e != &xs_scratch_event && e->transfer.direction == XS_DIR_D2H)
            before_in_all(e);
        xs_own_cost_work_end(&work);
    } else if (is_fit(e)) {
        before_in_auto(e, stack);
    }
}

void xs_host_watch_after_copy(bool succeeded) {
    struct xs_own_cost_work work = xs_own_cost_work_begin();
    struct xs_watch *w = &xs_watcher.watches[xs_host_watch_own - 1];
    xs_host_watch_own = 0;
    if (watches_all()) {
        xs_lock(&xs_watcher.lock);
    } else if (!xs_try_lock(&xs_watcher.lock)) {
        atomic_store(&w->is_late, true);
        xs_own_cost_work_end(&work);
        return;
    }
    if (w->state == XS_WATCH_WATCHING && !succeeded)
        w->state = XS_WATCH_FAILED;
    else if (w->state == XS_WATCH_WATCHING && w->is_cleared)
        xs_host_reads_clear(&xs_watcher.regions[w - xs_watcher.watches]);
    xs_unlock(&xs_watcher.lock);
    xs_own_cost_work_end(&work);
}

void xs_host_watch_before_free(const struct xs_event *e) {
    uint32_t id = e->kind == XS_EVENT_FREE ? e->alloc.id : 0;
    for (struct xs_watch *w = xs_watcher.watches; id && w < xs_watcher.watches + XS_WATCHES; w++) {
        if (atomic_load_explicit(&w->allocation, memory_order_relaxed) != id)
            continue;
        if (watches_all())
            xs_lock(&xs_watcher.lock);
        else if (!xs_try_lock(&xs_watcher.lock))
            continue; /* the mapping will be gone */
        if (w->state == XS_WATCH_WATCHING && w->allocation == id)
            look_now(w);
        else
            xs_unlock(&xs_watcher.lock);
    }
}
