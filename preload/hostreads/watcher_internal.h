/* What the two halves of the watcher share: watcher.c runs on threads of the program, watcher_looks.c on the drain
 * thread. */
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
    XS_WATCH_WANTED,   /* a thread waits until the region is ready */
    XS_WATCH_READY,    /* the next copy into the region is watched */
    XS_WATCH_WATCHING, /* the copy was made, or is being made */
    XS_WATCH_FAILED,   /* the copy failed */
};

/* A watch belongs to the region with the same index. The fields are protected by the lock; those that are atomic may
 * also be used without it. */
struct xs_watch {
    _Atomic unsigned state;   /* enum xs_watch_state; changed under the lock */
    _Atomic uint64_t address; /* of a region that is ready or watched; else 0 */
    uint64_t bytes;
    _Atomic uint32_t allocation; /* the page-locked allocation, with whose free the memory is gone; 0: none */
    uint32_t id;                 /* xs_event.transfer.host_read of the copy */
    bool is_pageable;
    bool is_cleared;       /* the thread clears the bits after the copy, because the processor may have made it */
    bool is_asked;         /* a thread waits for a look */
    bool is_partial;       /* a copy overwrites a part of the region, and nobody will see who reads the rest */
    _Atomic bool is_begun; /* the watched copy has begun; until then, other copies into the region do not matter */
    _Atomic bool is_late;  /* nobody can say what was read, because the region was written without a look */
    unsigned calls;        /* number of copies into the region since it was made ready */
    unsigned looks;
};

/* A copy that may be chosen, of some stack and size. A thread fills an empty one, and the drain thread empties it. */
enum { XS_CANDIDATE_EMPTY, XS_CANDIDATE_BUSY, XS_CANDIDATE_FULL };
struct xs_candidate {
    _Atomic uint32_t state;
    uint64_t address, bytes;
    uint32_t allocation;
    bool is_pageable;
    uint32_t taken; /* how often one of this stack and size was chosen; belongs to the drain thread */
};

/* The drain thread holds the lock while it looks. In mode `auto`, threads of the program only try to take it. */
struct xs_watcher {
    struct xs_lock lock;
    struct xs_watch watches[XS_WATCHES];
    struct xs_host_reads_region regions[XS_WATCHES];
    struct xs_candidate candidates[XS_CANDIDATES];
    _Atomic uint32_t asked, answered; /* numbers of questions to the drain thread; `answered` is a futex */
    _Atomic uint32_t ids;
    _Atomic bool is_staged;
};
extern struct xs_watcher xs_watcher;

/* Begins to use an unused watch. The lock must be held. Each field is set by itself, because threads read the address
 * without the lock. */
static inline void xs_watch_begin(struct xs_watch *w, uint64_t bytes, bool is_pageable, bool is_cleared, uint32_t id) {
    w->bytes = bytes;
    w->id = id;
    w->is_pageable = is_pageable;
    w->is_cleared = is_cleared;
    w->is_asked = w->is_partial = false;
    atomic_store(&w->is_begun, false);
    atomic_store(&w->is_late, false);
    w->calls = w->looks = 0;
    atomic_store(&w->state, XS_WATCH_WANTED);
}

#endif
