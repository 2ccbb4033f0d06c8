/* A fingerprinter is a context's kernel, scratch memory and results. The first copy that needs a fingerprinter makes
 * it, which takes 1 to 2 ms. If any part cannot be made, copies of the context have no device fingerprints from then
 * on. fingerprinter.c makes and ends fingerprinters; fingerprint_device.c works with them. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINTER_H
#define XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/lock.h"
#include "preload/driver/driver_api.h"
#include "preload/fingerprint/results.h"
#include "preload/fingerprint/side_stream.h"
#include "preload/fingerprint/slots.h"
#include "schema/format/kinds.h"

#define XS_SCRATCH_BYTES ((size_t)XS_SLOT_UNITS * XS_SLOT_UNIT_BYTES)
#define XS_UNIT_TICKET_BYTES 16 /* a unit has 128 digests, and the tree has at most 2 nodes for each unit */
#define XS_TICKET_BYTES ((size_t)XS_SLOT_UNITS * XS_UNIT_TICKET_BYTES)

struct xs_fingerprinter {
    _Atomic uintptr_t context; /* 0: free, because its context was destroyed */
    _Atomic int skip;          /* XS_SKIP_NONE, or the reason why copies of this context have no device fingerprints */
    _Atomic unsigned failures; /* number of launches in a row that the driver refused */
    CUfunction kernel;
    CUdeviceptr memory, results_at; /* memory: tickets, then slots; results_at: device address of the result ring */
    int priority;                   /* priority of launches */
    _Atomic bool has_priority;
    struct xs_open_lock lock; /* protects the slots; no driver call is made while it is held */
    struct xs_slots slots;
    struct xs_aside asides[XS_ASIDES];
    struct xs_results results;
};

/* Returns the `i`th of all fingerprinters, counted from 0; NULL: there are not so many. Fingerprinters are never freed,
 * so no lock is needed. Any thread. */
struct xs_fingerprinter *xs_fingerprinter_at(unsigned i);

/* Returns the fingerprinter of a context; NULL: it has none. */
struct xs_fingerprinter *xs_fingerprinter_find(CUcontext context);

/* Returns the fingerprinter of a context, and makes one if there is none. The context must be current on the calling
 * thread. NULL: the context has no device fingerprints, for the reason in *why. */
struct xs_fingerprinter *xs_fingerprinter_of(CUcontext context, enum xs_fingerprint_skip *why);

/* Returns the total time that making fingerprinters has taken so far. */
uint64_t xs_fingerprinter_start_ns(void);

#endif
