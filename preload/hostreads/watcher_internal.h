/* Declares what the two halves of the watcher share: watcher.c, which runs on threads of the program, and
 * watcher_looks.c, which runs on the drain thread. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_WATCHER_INTERNAL_H
#define XFERSPY_PRELOAD_HOSTREADS_WATCHER_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/lock.h"
#include "preload/hostreads/host_reads.h"
#include "preload/hostreads/watcher.h"

enum { XS_WATCHES = 48, XS_CANDIDATES = 64 };

enum xs_watch_state {
    XS_WATCH_UNUSED,
    XS_WATCH_WANTED,   /* the drain thread will make the region ready; in mode `all`, a thread waits for this */
    XS_WATCH_READY,    /* the next copy to this address, of this size and kind of memory, is watched */
    XS_WATCH_WATCHING, /* the watched copy is about to be made, or was made */
    XS_WATCH_FAILED,   /* the watched copy failed, so there will be no result */
};

/* A watch is about one download into one region, which has the same index in struct xs_watcher. The fields are
 * protected by the lock; other code may use the atomic fields without it. */
struct xs_watch {
    _Atomic unsigned state;   /* enum xs_watch_state; changed under the lock */
    _Atomic uint64_t address; /* address of the region; 0: the watch is unused */
    uint64_t bytes;
    _Atomic uint32_t allocation; /* id of the page-locked allocation; 0: the memory is pageable, or the allocation is
                                  * not known */
    uint32_t id;                 /* host_read of the copy's event (struct xs_event_transfer); 0: the watch has no copy
                                  * yet */
    bool is_pageable;
    bool is_cleared;       /* the thread that makes the copy clears the bits after it, because the processor may make
                            * the copy */
    bool is_asked;         /* a thread has asked for a look, which ends the watch */
    _Atomic bool is_begun; /* a thread has begun the watched copy; before, other copies into the region do not matter */
    _Atomic bool is_late;  /* nobody can say what was read: the region was written without a look, the bits could not be
                            * cleared, or too many looks gave no result */
    unsigned calls;        /* number of copies to the address, from the watched one on */
    /* Number of looks of the budget since the watched copy began. */
    unsigned looks;
};

/* A slot for a copy whose region may be chosen to be watched. Stack, entry point and size of the copy decide which slot
 * it may use; others may have the same slot. A thread of the program fills an empty slot, and the drain thread empties
 * all slots at each look of the budget. */
enum { XS_CANDIDATE_EMPTY, XS_CANDIDATE_BUSY, XS_CANDIDATE_FULL };
struct xs_candidate {
    _Atomic uint32_t state;
    uint64_t address, bytes;
    uint32_t allocation;
    bool is_pageable;
    uint32_t taken; /* how often a copy in this slot was chosen; only the drain thread uses this field */
};

/* The drain thread holds the lock while it looks. In mode `auto`, threads of the program only try to take the lock, and
 * do not wait for it. */
struct xs_watcher {
    struct xs_lock lock;
    struct xs_watch watches[XS_WATCHES];
    struct xs_host_reads_region regions[XS_WATCHES];
    struct xs_candidate candidates[XS_CANDIDATES];
    _Atomic uint32_t asked, answered; /* number of the latest question to the drain thread, and of the latest one that
                                       * was answered; `answered` is a futex */
    /* The latest number of a watch (xs_watch.id). */
    _Atomic uint32_t ids;
    /* The latest value that xs_host_watch_staged got. */
    _Atomic bool is_staged;
};
extern struct xs_watcher xs_watcher;

/* Begins to use an unused watch. The lock must be held. The struct is not assigned as a whole, because threads read its
 * address without the lock. The caller sets `address` and `allocation`. */
static inline void xs_watch_begin(struct xs_watch *w, uint64_t bytes, bool is_pageable, bool is_cleared, uint32_t id) {
    w->bytes = bytes;
    w->id = id;
    w->is_pageable = is_pageable;
    w->is_cleared = is_cleared;
    w->is_asked = false;
    atomic_store(&w->is_begun, false);
    atomic_store(&w->is_late, false);
    w->calls = w->looks = 0;
    atomic_store(&w->state, XS_WATCH_WANTED);
}

#endif
