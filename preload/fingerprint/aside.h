/* Kernels beside the next copies. Where the copies of one stream follow each other with nothing between them, each
 * copy's fingerprint kernel runs in a stream of ours while the next copy is under way. The application's stream
 * waits for ours (it "joins") before anything else happens in it, and before any call that could order other work
 * behind it. So whatever the application can know to come after the copy comes after the copy's fingerprint as well. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_ASIDE_H
#define XFERSPY_PRELOAD_FINGERPRINT_ASIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/tree_shape.h"

enum { XS_ASIDES = 8, XS_ASIDE_KERNELS = 16 };

/* The entry of one stream of the application. An entry that is all zeros belongs to no stream. */
struct xs_aside {
    _Atomic(CUstream) theirs; /* the application's stream; NULL: the entry is free */
    _Atomic bool ahead;       /* ours was given work, and theirs has not joined since */
    _Atomic uint64_t epoch;   /* xs_write_epoch at its last copy; while that is the same, copies follow each other */
    /* Of what follows. Held during calls of the driver, so each wait for it is bounded. Signals wait meanwhile: what
     * follows is called on a scratch stack, or after xs_signals_hold. */
    pthread_mutex_t lock;
    CUstream ours;    /* the library's stream, made when it is needed first */
    bool failed;      /* it could not be made */
    uint64_t kernels; /* how many were given to ours; what follows is about the last XS_ASIDE_KERNELS of them */
    CUevent copied, done[XS_ASIDE_KERNELS];
    struct xs_fingerprint_region regions[XS_ASIDE_KERNELS]; /* what each reads; length 0: nothing */
};

/* How many streams of the process have not joined yet. */
extern _Atomic unsigned xs_asides_ahead;

/* The entry of a stream of the application, which is made if there is none. NULL: there are too many streams, or the
 * stream is a default stream, which has one handle for several streams. */
struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs);

/* Before a copy in the stream: theirs waits for those of our kernels that read any of `writes`, the region that the
 * copy writes (length 0: it only reads). With the lock held. */
void xs_aside_make_way(struct xs_aside *aside, const struct xs_fingerprint_region *writes);

/* After a copy: ours waits for the copy and then runs what `launch` queues in it. False: nothing was queued. With
 * the lock held. */
bool xs_aside_run(struct xs_aside *aside, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg);

/* Joins: theirs waits for everything that ours was given. With the lock held. */
void xs_aside_join(struct xs_aside *aside);

/* Joins from any call; takes the lock itself. The driver may hold up another thread in the middle of a copy of this
 * stream, with the lock; this call waits for the lock only some milliseconds. */
void xs_aside_join_from_outside(struct xs_aside *aside);

/* Their stream is about to be destroyed: joins, and frees the entry. */
void xs_aside_release(struct xs_aside *aside);

/* The context is gone with all its streams: frees the entry without a call of the driver. */
void xs_aside_forget(struct xs_aside *aside);

#endif
