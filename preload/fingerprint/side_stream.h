/* Runs fingerprint kernels at the same time as the next copies. If the copies of one stream follow each other with no
 * other work in between, each copy's fingerprint kernel runs in a side stream while the next copy is under way. The
 * application's stream waits for the side stream (it "joins" the side stream) before any other work is queued in it,
 * and before any call that could order other work after it. So all work that the application has ordered after a copy
 * also runs after the fingerprint kernel of the copy. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SIDE_STREAM_H
#define XFERSPY_PRELOAD_FINGERPRINT_SIDE_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/hash_tree_shape.h"

enum { XS_ASIDES = 8, XS_ASIDE_KERNELS = 16 };

/* The data for one stream of the application. An entry is free if all its bytes are zero. */
struct xs_aside {
    _Atomic(CUstream) theirs; /* the application's stream; NULL: the entry is free */
    _Atomic bool ahead;       /* the side stream has work that `theirs` does not wait for yet */
    _Atomic uint64_t epoch;   /* value of xs_write_epoch at the last copy; if xs_write_epoch still has it, only copies
                                 were queued since */
    /* The lock protects the fields below. It is held during driver calls, so each wait for the lock has a time limit.
     * Signals are blocked while it is held, because its holder runs on a scratch stack or has called xs_signals_hold.
     */
    pthread_mutex_t lock;
    CUstream ours;    /* side stream, made when first needed */
    bool failed;      /* the side stream could not be made */
    uint64_t kernels; /* number of kernels given to the side stream; the fields below are for the last XS_ASIDE_KERNELS
                         of them */
    CUevent copied, done[XS_ASIDE_KERNELS];
    struct xs_fingerprint_region regions[XS_ASIDE_KERNELS]; /* region that each kernel reads; length 0: no kernel */
};

/* The number of streams in the process that do not wait yet for all work of their side streams. */
extern _Atomic unsigned xs_asides_ahead;

/* Returns the entry of an application's stream, and takes a free one if there is none. NULL: there are too many
 * streams, or the stream is a default stream, whose handle is the same for several streams. */
struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs);

/* Runs before a copy in the application's stream. Makes that stream wait for each fingerprint kernel that reads a
 * part of `writes`, the region that the copy writes (length 0: it writes nothing). The caller holds the lock. */
void xs_aside_make_way(struct xs_aside *aside, const struct xs_fingerprint_region *writes);

/* Runs after a copy. Makes the side stream wait for the copy, and then calls `launch`, which queues a kernel in the
 * side stream. False: no kernel was queued. The caller holds the lock. */
bool xs_aside_run(struct xs_aside *aside, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg);

/* Makes the application's stream wait for all work of the side stream (joins it). The caller holds the lock. */
void xs_aside_join(struct xs_aside *aside);

/* Does the same as xs_aside_join, but takes the lock itself. This function is called before all calls that are not
 * copies. Another thread may hold the lock while the driver delays its copy in this stream. So this function waits for
 * the lock at most 10 ms; if it does not get the lock in this time, it does nothing. */
void xs_aside_join_from_outside(struct xs_aside *aside);

/* Runs before the application's stream is destroyed. Joins the side stream, and frees the entry. */
void xs_aside_release(struct xs_aside *aside);

/* Runs when the context was destroyed with all its streams. Frees the entry without a driver call. */
void xs_aside_forget(struct xs_aside *aside);

#endif
