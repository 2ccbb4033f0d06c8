/* Kernels beside the next copies: where one stream's copies follow each other with nothing between them, the fingerprint of
 * each is taken in a stream of ours while the next is under way. The application's stream waits for ours (it joins) before
 * anything else happens in it, or anything at all that could order other work behind it; so whatever the application can
 * know to come after the copy comes after its fingerprint, too. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_ASIDE_H
#define XFERSPY_PRELOAD_FINGERPRINT_ASIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/fingerprint/tree_shape.h"
#include "preload/intercept/driver_api.h"

enum { XS_ASIDES = 8, XS_ASIDE_KERNELS = 16 };

/* One stream of the application; several threads may use it, under the lock of its context's fingerprinter. */
struct xs_aside {
    CUstream theirs;        /* NULL: of none yet */
    CUstream ours;          /* made when first needed */
    bool failed;            /* and could not be */
    bool ahead;             /* theirs has not joined since ours was given work */
    uint64_t epoch;         /* xs_write_epoch at its last copy: the same now means that copies follow each other */
    uint64_t kernels;       /* given to ours; the last XS_ASIDE_KERNELS of them: */
    CUevent copied, done[XS_ASIDE_KERNELS];
    struct xs_fingerprint_region regions[XS_ASIDE_KERNELS]; /* that they read; length 0: of none */
};

/* How many streams of the process have not joined. */
extern _Atomic unsigned xs_asides_ahead;

/* The entry of a stream of the application; NULL: too many streams, or one without a handle of its own. */
struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs);

/* Before a copy in the stream that writes `writes` (length 0: only reads): theirs waits for kernels that read any of it. */
void xs_aside_make_way(struct xs_aside *aside, const struct xs_fingerprint_region *writes);

/* After a copy: ours waits for it, then runs what `launch` queues there. False: nothing was queued. */
bool xs_aside_run(struct xs_aside *aside, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg);

/* Theirs waits for all that ours was given. */
void xs_aside_join(struct xs_aside *aside);

#endif
