/* Which context and device the calling thread works in, and which contexts exist. */
#ifndef XFERSPY_PRELOAD_DRIVER_CONTEXT_H
#define XFERSPY_PRELOAD_DRIVER_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"

/* The process's only context, 0 with none or several. */
extern _Atomic uintptr_t xs_only_context;
extern _Atomic int xs_only_device;
CUcontext xs_context_ask(int8_t *device);

/* The calling thread's current context, NULL if none; its device ordinal (-1: unknown) through `device`. Costs a load
 * while the process has one context, a driver query of about 10 ns with several. */
XS_HOT CUcontext xs_context_current(int8_t *device) {
    uintptr_t only = atomic_load_explicit(&xs_only_context, memory_order_relaxed);
    if (XS_LIKELY(only != 0)) {
        *device = (int8_t)atomic_load_explicit(&xs_only_device, memory_order_relaxed);
        return (CUcontext)only;
    }
    return xs_context_ask(device);
}

/* A context came to be, or was seen: learns its device. */
void xs_context_learn(CUcontext context, int device, bool primary);

/* The contexts that were learned, in that order, for the drain thread to write down: the `i`th of them, at most 64. A context
 * is learned again when its handle comes back for another device. False: there are no more (yet). Any thread. */
bool xs_context_learned(unsigned i, uint64_t *handle, int *device);

/* Device ordinal of a context, -1: unknown. */
int8_t xs_context_device(CUcontext context);

/* The primary context of a device as last retained, NULL if never. */
CUcontext xs_context_primary(int device);

/* In a forked child: makes the lock anew, which a thread that is not there may hold. */
void xs_context_forget(void);

/* A context is gone; its handle may come back for another device. */
void xs_context_drop(CUcontext context);

#endif
