/* Which contexts exist, and in which context and on which device the calling thread works. Look-ups take no lock and
 * may come from any thread. */
#ifndef XFERSPY_PRELOAD_DRIVER_CONTEXT_H
#define XFERSPY_PRELOAD_DRIVER_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"

/* The only context of the process and its device. 0: there is none, or there are several. */
extern _Atomic uintptr_t xs_only_context;
extern _Atomic int xs_only_device;

/* The calling thread's current context, and its device as below. The driver is asked each time, which takes about
 * 10 ns: for what must not be mistaken. */
CUcontext xs_context_ask(int8_t *device);

/* The calling thread's current context, NULL: it has none. Its device's ordinal is returned through `device`; -1:
 * unknown. Costs a load while one context is known, and a query of the driver when there are several. That one is the
 * answer even for a thread that has none, or one that nobody saw being made: good enough for a record, and not for
 * anything that changes what the program does. */
XS_HOT CUcontext xs_context_current(int8_t *device) {
    uintptr_t only = atomic_load_explicit(&xs_only_context, memory_order_relaxed);
    if (XS_LIKELY(only != 0)) {
        *device = (int8_t)atomic_load_explicit(&xs_only_device, memory_order_relaxed);
        return (CUcontext)only;
    }
    return xs_context_ask(device);
}

/* Records that a context was made, or was seen for the first time, and its device. Takes a lock. */
void xs_context_learn(CUcontext context, int device, bool primary);

/* The contexts that were learned, in that order, for the drain thread to write down: the `i`th of them, at most 64.
 * A context is learned again when its handle comes back for another device. False: there are no more (yet). Any
 * thread. */
bool xs_context_learned(unsigned i, uint64_t *handle, int *device);

/* The ordinal of a context's device; -1: unknown. */
int8_t xs_context_device(CUcontext context);

/* The primary context of a device as it was last retained; NULL: it never was. */
CUcontext xs_context_primary(int device);

/* Waits until nothing runs on the device for any context that is alive, at most so long. False: something still does.
 * No stream captures, and no other thread is inside of the driver (core/gate.h). The calling thread has raised the
 * guard. Never waits without bound where the driver has cuCtxRecordEvent (12.5): work may wait for the program, whose
 * threads stand at the gate. */
bool xs_context_is_idle_within(uint64_t ns);

/* In a forked child: makes the lock anew, which a thread that is not there may hold. */
void xs_context_forget(void);

/* Records that a context is gone. Its handle may come back for another device. True: it was the last one that was
 * known. Takes a lock. */
bool xs_context_drop(CUcontext context);

#endif
