/* Tracks which contexts exist, and the calling thread's context and device. Look-ups take no lock and may come from any
 * thread. */
#ifndef XFERSPY_PRELOAD_DRIVER_DRIVER_CONTEXT_H
#define XFERSPY_PRELOAD_DRIVER_DRIVER_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"

/* The only context of the process and its device. Context 0: there is none, or there are several. */
extern _Atomic uintptr_t xs_only_context;
extern _Atomic int xs_only_device;

/* Asks the driver for the calling thread's current context and its device; the results are as for xs_context_current. A
 * query takes about 10 ns. For uses that must not be wrong. */
CUcontext xs_context_ask(int8_t *device);

/* Returns the calling thread's current context; NULL: it has none. `device` receives the device's ordinal; -1: not
 * known. Costs a load while exactly one context is known, else a query of the driver. The one known context is the
 * answer even for a thread that has none, or has one that nobody saw being made: good enough for a record, but not for
 * anything that changes what the program does. */
XS_HOT CUcontext xs_context_current(int8_t *device) {
    uintptr_t only = atomic_load_explicit(&xs_only_context, memory_order_relaxed);
    if (XS_LIKELY(only != 0)) {
        *device = (int8_t)atomic_load_explicit(&xs_only_device, memory_order_relaxed);
        return (CUcontext)only;
    }
    return xs_context_ask(device);
}

/* Records that a context was made or first seen, and its device. Takes a lock. */
void xs_context_learn(CUcontext context, int device, bool primary);

/* Returns the `i`th learned context, in order of learning, for the drain thread to write down; at most 64 are kept. A
 * context is learned again if its handle comes back for another device. False: there is no `i`th (yet). Any thread. */
bool xs_context_learned(unsigned i, uint64_t *handle, int *device);

/* Returns the ordinal of a context's device; -1: not known. */
int8_t xs_context_device(CUcontext context);

/* Returns a device's primary context as last retained; NULL: it never was. */
CUcontext xs_context_primary(int device);

/* Waits at most `ns` until no live context has work on its device. False: work is still running, or the driver lacks
 * the functions. No stream may be capturing, and no other thread may be inside the driver (core/quiescence.h). The
 * calling thread has raised the guard. The wait is bounded only if the driver has cuCtxRecordEvent (12.5). It needs the
 * bound: device work may wait for the program, whose threads stand at the gate. */
bool xs_context_is_idle_within(uint64_t ns);

/* In a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_context_forget(void);

/* Records that a context is gone. Its handle may come back for another device. True: it was the last known context.
 * Takes a lock. */
bool xs_context_drop(CUcontext context);

#endif
