/* Runs fingerprint kernels beside the next copies. If the copies of one stream follow each other with nothing in
 * between, each copy's fingerprint kernel runs in a side stream while the next copy is under way. The application's
 * stream waits for the side stream (it "joins") before anything else happens in it, and before any call that could
 * order other work behind it. So whatever the application can know to come after the copy also comes after the copy's
 * fingerprint. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SIDE_STREAM_H
#define XFERSPY_PRELOAD_FINGERPRINT_SIDE_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/hash_tree_shape.h"

enum { XS_ASIDES = 8, XS_ASIDE_KERNELS = 16 };

/* The entry of one stream of the application. All zeros: the entry belongs to no stream. */
struct xs_aside {
    _Atomic(CUstream) theirs; /* the application's stream; NULL: the entry is free */
    _Atomic bool ahead;       /* the side stream got work that theirs has not joined */
    _Atomic uint64_t epoch;   /* xs_write_epoch at the last copy; while it is unchanged, copies follow each other */
    /* The lock protects the fields below. It is held during calls of the driver, so each wait for it is bounded.
     * Signals wait meanwhile: its holders run on a scratch stack, or after xs_signals_hold. */
    pthread_mutex_t lock;
    CUstream ours;    /* side stream, made when first needed */
    bool failed;      /* the side stream could not be made */
    uint64_t kernels; /* kernels given to the side stream; the fields below describe the last XS_ASIDE_KERNELS */
    CUevent copied, done[XS_ASIDE_KERNELS];
    struct xs_fingerprint_region regions[XS_ASIDE_KERNELS]; /* regions that each kernel reads; length 0: nothing */
};

/* The number of the process's streams that have not joined yet. */
extern _Atomic unsigned xs_asides_ahead;

/* Returns the entry of an application's stream, and makes one if there is none. NULL: there are too many streams, or
 * the stream is a default stream, which has one handle for several streams. */
struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs);

/* Called before a copy in the stream: theirs waits for each of our kernels that reads any of `writes`, the region that
 * the copy writes (length 0: it only reads). The caller holds the lock. */
void xs_aside_make_way(struct xs_aside *aside, const struct xs_fingerprint_region *writes);

/* Called after a copy: the side stream waits for the copy and then runs what `launch` queues in it. False: nothing was
 * queued. The caller holds the lock. */
bool xs_aside_run(struct xs_aside *aside, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg);

/* Joins: theirs waits for all work of the side stream. The caller holds the lock. */
void xs_aside_join(struct xs_aside *aside);

/* Joins from any call; takes the lock itself. The driver may hold up another thread in the middle of a copy of this
 * stream, with the lock held. So this function waits for the lock only some milliseconds. */
void xs_aside_join_from_outside(struct xs_aside *aside);

/* Called before the application's stream is destroyed: joins, and frees the entry. */
void xs_aside_release(struct xs_aside *aside);

/* Called when the context is gone with all its streams: frees the entry without a call of the driver. */
void xs_aside_forget(struct xs_aside *aside);

#endif
