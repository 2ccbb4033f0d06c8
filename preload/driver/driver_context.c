/* Keeps a small table of contexts. Changes take a lock, reading does not. A process usually has one context per device,
 * and rarely a few more. */
#include "preload/driver/driver_context.h"

#include <stdatomic.h>
#include <time.h>

#include "preload/core/lock.h"
#include "preload/driver/real.h"
#include "schema/clock.h"

#define CONTEXTS 256

static struct {
    _Atomic uintptr_t handle;
    _Atomic int device, primary;
} contexts[CONTEXTS];
static _Atomic unsigned context_count; /* slots in use, including those of dropped contexts */
static unsigned contexts_alive;
static struct {
    uint64_t handle;
    int device;
} learned[64];
static unsigned learned_count;
static struct xs_lock context_lock = XS_LOCK_INITIALIZER; /* held during changes and when `learned` is used */

_Atomic uintptr_t xs_only_context;
_Atomic int xs_only_device = -1;

static int find(CUcontext context) {
    unsigned n = atomic_load_explicit(&context_count, memory_order_acquire);
    for (unsigned i = 0; i < n && i < CONTEXTS; i++)
        if (atomic_load_explicit(&contexts[i].handle, memory_order_relaxed) == (uintptr_t)context)
            return (int)i;
    return -1;
}

/* Returns the slot of a context: its own, one of a dropped context, or a new one; -1 if the table is full. */
static int slot_of(CUcontext context) {
    int i = find(context);
    for (unsigned n = atomic_load(&context_count); i < 0 && n-- > 0;)
        i = atomic_load(&contexts[n].handle) == 0 ? (int)n : -1;
    if (i < 0 && atomic_load(&context_count) < CONTEXTS)
        i = (int)atomic_fetch_add(&context_count, 1);
    return i;
}

static void note_learned(CUcontext context, int device) {
    if (learned_count < sizeof learned / sizeof learned[0]) {
        learned[learned_count].handle = (uint64_t)(uintptr_t)context;
        learned[learned_count++].device = device;
    }
}

bool xs_context_learned(unsigned i, uint64_t *handle, int *device) {
    xs_lock(&context_lock);
    bool is_there = i < learned_count;
    if (is_there) {
        *handle = learned[i].handle;
        *device = learned[i].device;
    }
    xs_unlock(&context_lock);
    return is_there;
}

void xs_context_learn(CUcontext context, int device, bool primary) {
    if (!context)
        return;
    xs_lock(&context_lock);
    bool known = find(context) >= 0;
    int i = slot_of(context);
    if (i >= 0) { /* if the table is full, the driver is asked for the context's device each time */
        bool told = known && atomic_load(&contexts[i].device) == device;
        atomic_store(&contexts[i].device, device);
        atomic_store(&contexts[i].primary, primary || (known && atomic_load(&contexts[i].primary)));
        atomic_store_explicit(&contexts[i].handle, (uintptr_t)context, memory_order_release);
        if (!told)
            note_learned(context, device);
    }
    if (!known) {
        contexts_alive++;
        atomic_store(&xs_only_device, device);
        atomic_store(&xs_only_context, contexts_alive == 1 && i >= 0 ? (uintptr_t)context : 0);
    } else if (atomic_load(&xs_only_context) == (uintptr_t)context) {
        atomic_store(&xs_only_device, device); /* the handle was reused */
    }
    xs_unlock(&context_lock);
}

/* Asks the driver for the device of the current context, and records both by xs_context_learn. */
static int8_t learn_current(CUcontext context) {
    CUdevice device = -1;
    __typeof__(&cuCtxGetDevice) get_device = xs_driver(cuCtxGetDevice);
    if (!get_device || get_device(&device) != CUDA_SUCCESS)
        return -1;
    xs_context_learn(context, device, false);
    return (int8_t)device;
}

CUcontext xs_context_ask(int8_t *device) {
    CUcontext context = NULL;
    __typeof__(&cuCtxGetCurrent) get_current = xs_driver(cuCtxGetCurrent);
    *device = -1;
    if (!get_current || get_current(&context) != CUDA_SUCCESS || !context)
        return NULL;
    int i = find(context);
    *device = i >= 0 ? (int8_t)atomic_load_explicit(&contexts[i].device, memory_order_relaxed) : learn_current(context);
    return context;
}

int8_t xs_context_device(CUcontext context) {
    int i = find(context);
    return i >= 0 ? (int8_t)atomic_load(&contexts[i].device) : -1;
}

CUcontext xs_context_primary(int device) {
    unsigned n = atomic_load_explicit(&context_count, memory_order_acquire);
    for (unsigned i = 0; i < n && i < CONTEXTS; i++)
        if (atomic_load(&contexts[i].primary) && atomic_load(&contexts[i].device) == device)
            return (CUcontext)atomic_load(&contexts[i].handle);
    return NULL;
}

/* Waits by means of an event that is recorded after all work of the current context. After an error it is not known
 * whether the work has ended. */
static CUresult ask_until(CUcontext context, uint64_t until_ns) {
    const struct timespec pause = {0, 20000};
    CUevent event = NULL;
    CUresult result = xs_driver(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS)
        return result;
    result = xs_driver(cuCtxRecordEvent)(context, event);
    while (result == CUDA_SUCCESS && (result = xs_driver(cuEventQuery)(event)) == CUDA_ERROR_NOT_READY &&
           xs_monotonic_ns() < until_ns) {
        nanosleep(&pause, NULL);
        result = CUDA_SUCCESS;
    }
    xs_driver(cuEventDestroy_v2)(event);
    return result;
}

static bool is_idle(CUcontext context, uint64_t until_ns) {
    bool can_ask = xs_driver(cuEventCreate) && xs_driver(cuCtxRecordEvent) && xs_driver(cuEventQuery) &&
                   xs_driver(cuEventDestroy_v2);
    CUresult result = can_ask ? ask_until(context, until_ns) : CUDA_ERROR_NOT_SUPPORTED;
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        result = xs_driver(cuCtxSynchronize)();
    return result != CUDA_ERROR_NOT_READY;
}

bool xs_context_is_idle_within(uint64_t ns) {
    uint64_t until_ns = xs_monotonic_ns() + ns;
    bool idle = true;
    if (!xs_driver(cuCtxPushCurrent_v2) || !xs_driver(cuCtxPopCurrent_v2) || !xs_driver(cuCtxSynchronize))
        return false;
    for (unsigned i = 0; idle && i < sizeof contexts / sizeof contexts[0]; i++) {
        CUcontext context = (CUcontext)atomic_load(&contexts[i].handle);
        if (context && xs_driver(cuCtxPushCurrent_v2)(context) == CUDA_SUCCESS) {
            idle = is_idle(context, until_ns);
            xs_driver(cuCtxPopCurrent_v2)(&context);
        }
    }
    return idle;
}

bool xs_context_drop(CUcontext context) {
    xs_lock(&context_lock);
    int i = find(context);
    if (i >= 0) {
        atomic_store(&xs_only_context, 0);
        atomic_store(&contexts[i].handle, 0);
        atomic_store(&contexts[i].primary, 0);
        contexts_alive--;
    }
    bool was_last = i >= 0 && contexts_alive == 0;
    xs_unlock(&context_lock);
    return was_last;
}

void xs_context_forget(void) { xs_lock_forget(&context_lock); }
