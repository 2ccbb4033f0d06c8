/* Tracks which contexts exist, and the calling thread's context and device. Any thread may call these functions.
 * Look-ups take no lock, except xs_context_learned. */
#ifndef XFERSPY_PRELOAD_DRIVER_DRIVER_CONTEXT_H
#define XFERSPY_PRELOAD_DRIVER_DRIVER_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"

/* The only known context of the process, and the device of this context. The context is 0 if no context is known, if
 * several are known, or if one was destroyed and no new one was learned since. */
extern _Atomic uintptr_t xs_only_context;
extern _Atomic int xs_only_device;

/* Returns the same as xs_context_current, but always asks the driver, which takes about 10 ns. Must be used if a wrong
 * answer would do harm. */
CUcontext xs_context_ask(int8_t *device);

/* Returns the calling thread's current context; NULL: it has none. `device` receives the device's ordinal; -1: not
 * known. Asks the driver only if xs_only_context is 0; otherwise reads xs_only_context, and returns this context even
 * if the thread has no context, or has one whose creation xferspy did not see. Such a result is good enough for a
 * record, but not for anything that changes what the program does. */
XS_HOT CUcontext xs_context_current(int8_t *device) {
    uintptr_t only = atomic_load_explicit(&xs_only_context, memory_order_relaxed);
    if (XS_LIKELY(only != 0)) {
        *device = (int8_t)atomic_load_explicit(&xs_only_device, memory_order_relaxed);
        return (CUcontext)only;
    }
    return xs_context_ask(device);
}

/* Records a context that was created or seen for the first time, and its device. Takes a lock. */
void xs_context_learn(CUcontext context, int device, bool primary);

/* Returns context number `i` in the order of xs_context_learn, so that the drain thread can write it into the trace.
 * Only the first 64 contexts are kept. A handle occurs twice if it was reused for a context of another device. False:
 * there is no context number `i`, or not yet. Takes a lock. */
bool xs_context_learned(unsigned i, uint64_t *handle, int *device);

/* Returns the ordinal of a context's device; -1: not known. */
int8_t xs_context_device(CUcontext context);

/* Returns a device's primary context. NULL: xferspy did not see that the program retained it, or it was destroyed
 * since. */
CUcontext xs_context_primary(int device);

/* Waits at most `ns` until no existing context has work on its device. False: work is still running, or the driver does
 * not have the necessary functions. No stream may be capturing, and no other thread may be inside the driver
 * (core/quiescence.h). The calling thread must have raised its guard. The time limit is needed because device work may
 * wait for threads of the program, which wait at the gate. The limit is observed only if the driver has
 * cuCtxRecordEvent (12.5). */
bool xs_context_is_idle_within(uint64_t ns);

/* In a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_context_forget(void);

/* Records that a context was destroyed. Its handle may be reused for a context of another device. True: it was the last
 * known context. Takes a lock. */
bool xs_context_drop(CUcontext context);

#endif
