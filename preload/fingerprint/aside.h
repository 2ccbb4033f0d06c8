/* Kernels beside the next copies: where one stream's copies follow each other with nothing between them, the fingerprint of
 * each is taken in a stream of ours while the next is under way. The application's stream waits for ours (it joins) before
 * anything else happens in it, or anything at all that could order other work behind it; so whatever the application can
 * know to come after the copy comes after its fingerprint, too. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_ASIDE_H
#define XFERSPY_PRELOAD_FINGERPRINT_ASIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/tree_shape.h"

enum { XS_ASIDES = 8, XS_ASIDE_KERNELS = 16 };

/* One stream of the application. Zeroed it is of none. */
struct xs_aside {
    _Atomic(CUstream) theirs; /* NULL: of none */
    _Atomic bool ahead;       /* theirs has not joined since ours was given work */
    _Atomic uint64_t epoch;   /* xs_write_epoch at its last copy: the same now means that copies follow each other */
    pthread_mutex_t lock;     /* of what follows; held during calls of the driver, so never waited for without bound */
    CUstream ours;            /* made when first needed */
    bool failed;              /* and could not be */
    uint64_t kernels;         /* given to ours; the last XS_ASIDE_KERNELS of them: */
    CUevent copied, done[XS_ASIDE_KERNELS];
    struct xs_fingerprint_region regions[XS_ASIDE_KERNELS]; /* that they read; length 0: of none */
};

/* How many streams of the process have not joined. */
extern _Atomic unsigned xs_asides_ahead;

/* The entry of a stream of the application; NULL: too many streams, or one without a handle of its own. */
struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs);

/* With the lock held, this and the next. Before a copy in the stream that writes `writes` (length 0: only reads): theirs waits for kernels that read any of it. */
void xs_aside_make_way(struct xs_aside *aside, const struct xs_fingerprint_region *writes);

/* After a copy: ours waits for it, then runs what `launch` queues there. False: nothing was queued. */
bool xs_aside_run(struct xs_aside *aside, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg);

/* Theirs waits for all that ours was given. With the lock held. */
void xs_aside_join(struct xs_aside *aside);

/* The same from any call. Another thread that is in the middle of a copy of this stream may be kept there by the driver; it
 * is not waited for beyond some milliseconds. */
void xs_aside_join_from_outside(struct xs_aside *aside);

/* Theirs is about to go: joins, and the entry is of none. */
void xs_aside_release(struct xs_aside *aside);

/* The context is gone with all streams. */
void xs_aside_forget(struct xs_aside *aside);

#endif
