/* A context's fingerprinter: the kernel, its scratch memory and its results. It is made at the first copy that needs
 * it, which takes a millisecond or two. If any part of it fails, copies of that context have no device fingerprints
 * from then on. fingerprinter.c makes and ends fingerprinters, and device.c works with them. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINTER_H
#define XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/lock.h"
#include "preload/driver/driver_api.h"
#include "preload/fingerprint/aside.h"
#include "preload/fingerprint/results.h"
#include "preload/fingerprint/slots.h"
#include "schema/format/kinds.h"

#define XS_SCRATCH_BYTES ((size_t)XS_SLOT_UNITS * XS_SLOT_UNIT_BYTES)
#define XS_UNIT_TICKET_BYTES 16 /* a unit holds 128 digests, above which stand at most 2 nodes a unit */
#define XS_TICKET_BYTES ((size_t)XS_SLOT_UNITS * XS_UNIT_TICKET_BYTES)

struct xs_fingerprinter {
    _Atomic uintptr_t context; /* 0: it is free, its context is gone */
    _Atomic int skip;          /* XS_SKIP_NONE, or why copies of this context have no device fingerprints */
    _Atomic unsigned failures; /* launches that the driver refused, in a row */
    CUfunction kernel;
    CUdeviceptr memory, results_at; /* tickets, then slots; the ring as the device sees it */
    int priority;                   /* of launches */
    _Atomic bool has_priority;
    struct xs_open_lock lock; /* of the slots; no call of the driver under it */
    struct xs_slots slots;
    struct xs_aside asides[XS_ASIDES];
    struct xs_results results;
};

/* The `i`th of all fingerprinters; NULL beyond the last. They are never freed, so no lock is needed. Any thread. */
struct xs_fingerprinter *xs_fingerprinter_at(unsigned i);

/* The fingerprinter of a context; NULL: it has none. */
struct xs_fingerprinter *xs_fingerprinter_find(CUcontext context);

/* The same, but makes one where there is none. The context must be the calling thread's current one. NULL: there is
 * none, and `why` says the reason. */
struct xs_fingerprinter *xs_fingerprinter_of(CUcontext context, enum xs_fingerprint_skip *why);

/* How long it took to make all of them. */
uint64_t xs_fingerprinter_start_ns(void);

#endif
