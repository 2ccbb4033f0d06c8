/* A context's fingerprinter: the kernel, its scratch memory and its results. Made at the first copy that needs it, which
 * takes a millisecond or two; whatever of it fails, copies of that context go without device fingerprints from then on.
 * Shared by fingerprinter.c, which makes and ends them, and device.c, which works with them. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINTER_H
#define XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINTER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/aside.h"
#include "preload/fingerprint/results.h"
#include "preload/fingerprint/slots.h"
#include "schema/kinds.h"

#define XS_SCRATCH_BYTES ((size_t)XS_SLOT_UNITS * XS_SLOT_UNIT_BYTES)
#define XS_UNIT_TICKET_BYTES 16 /* a unit holds 128 digests: at most 2 nodes a unit stand above them */
#define XS_TICKET_BYTES ((size_t)XS_SLOT_UNITS * XS_UNIT_TICKET_BYTES)

struct xs_fingerprinter {
    _Atomic uintptr_t context; /* 0: of none */
    _Atomic int skip;          /* XS_SKIP_NONE, or why this context gets none */
    _Atomic unsigned failures; /* launches that the driver refused, in a row */
    CUfunction kernel;
    CUdeviceptr memory, results_at; /* tickets, then slots; the ring as the device sees it */
    int priority;                   /* of launches */
    _Atomic bool has_priority;
    pthread_mutex_t lock; /* of the slots; no call of the driver under it */
    struct xs_slots slots;
    struct xs_aside asides[XS_ASIDES];
    struct xs_results results;
};

/* The `i`th of all that there are, NULL beyond the last. They never go, so no lock is needed. */
struct xs_fingerprinter *xs_fingerprinter_at(unsigned i);

/* The one of a context; NULL: it has none. */
struct xs_fingerprinter *xs_fingerprinter_find(CUcontext context);

/* The same, made where there is none; the context must be the calling thread's. NULL, and why not, through `why`. */
struct xs_fingerprinter *xs_fingerprinter_of(CUcontext context, enum xs_fingerprint_skip *why);

/* How long making them took, altogether. */
uint64_t xs_fingerprinter_start_ns(void);

#endif
