/* The functions by which an application takes CUPTI for itself, one row each. The library exports each of them in
 * CUPTI's place: xferspy gives up its own session, and then the call goes on to the application's CUPTI. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/core/compiler.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/guard.h"
#include "preload/cupti/cupti_internal.h"

/* The second group measures hardware counters, some by running kernels again and again: neither is to be disturbed by
 * our records, nor are our records of any use then. Their parameter structures are not looked into. */
#define XS_CUPTI_OVERRIDES(X)                                                                                          \
    X(cuptiSubscribe, (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *data),                  \
      (subscriber, callback, data))                                                                                    \
    X(cuptiSubscribe_v2,                                                                                               \
      (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *data, CUpti_SubscriberParams *params),  \
      (subscriber, callback, data, params))                                                                            \
    X(cuptiActivityRegisterCallbacks,                                                                                  \
      (CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed),                       \
      (requested, completed))                                                                                          \
    X(cuptiActivityRegisterTimestampCallback, (CUpti_TimestampCallbackFunc funcTimestamp), (funcTimestamp))            \
    X(cuptiActivityConfigureUnifiedMemoryCounter, (CUpti_ActivityUnifiedMemoryCounterConfig * config, uint32_t count), \
      (config, count))                                                                                                 \
    X(cuptiActivityEnable, (CUpti_ActivityKind kind), (kind))                                                          \
    X(cuptiActivityEnableAndDump, (CUpti_ActivityKind kind), (kind))                                                   \
    X(cuptiActivityEnableContext, (CUcontext context, CUpti_ActivityKind kind), (context, kind))                       \
    X(cuptiFinalize, (void), ())                                                                                       \
    X(cuptiProfilerBeginSession, (void *params), (params))                                                             \
    X(cuptiRangeProfilerEnable, (void *params), (params))                                                              \
    X(cuptiPmSamplingEnable, (void *params), (params))                                                                 \
    X(cuptiPCSamplingEnable, (void *params), (params))                                                                 \
    X(cuptiSassMetricsEnable, (void *params), (params))

#define X(name, parameters, arguments) OVERRIDE_##name,
enum override { XS_CUPTI_OVERRIDES(X) OVERRIDE_COUNT };
#undef X

/* Exported, so that programs linked to CUPTI meet them; looked-up ones are remembered by xs_cupti_override. */
#define X(name, parameters, arguments) XS_EXPORT CUptiResult CUPTIAPI name parameters;
XS_CUPTI_OVERRIDES(X)
#undef X

static _Atomic bool theirs;

bool xs_cupti_is_theirs(void) { return atomic_load_explicit(&theirs, memory_order_relaxed); }

/* The application's own function, as it looked it up or as the loader would have bound it. */
static _Atomic(void *) reals[OVERRIDE_COUNT];

static void *real_function(enum override which, const char *name) {
    void *real = atomic_load(&reals[which]);
    if (real)
        return real;
    real = xs_real_dlsym(RTLD_NEXT, name);
    /* A program whose libcupti came with a library of local scope, as Python's do, is bound to our export too. */
    if (!real)
        real = xs_cupti_mapped_symbol(name, xs_cupti_handle());
    if (real)
        atomic_store(&reals[which], real);
    return real;
}

/* CUPTI's inner driver calls are none of the application's, so they are guarded like those of our own calls. */
#define X(name, parameters, arguments)                                                                                 \
    CUptiResult CUPTIAPI name parameters {                                                                             \
        __typeof__(name) *real;                                                                                        \
        void *found = real_function(OVERRIDE_##name, #name);                                                           \
        if (!found)                                                                                                    \
            return CUPTI_ERROR_NOT_INITIALIZED;                                                                        \
        memcpy(&real, &found, sizeof real);                                                                            \
        atomic_store(&theirs, true);                                                                                   \
        xs_cupti_step_aside(#name);                                                                                    \
        struct xs_guard_own own;                                                                                       \
        xs_guard_enter(&own);                                                                                          \
        CUptiResult result = real arguments;                                                                           \
        xs_guard_leave(&own);                                                                                          \
        return result;                                                                                                 \
    }
XS_CUPTI_OVERRIDES(X)
#undef X

void *xs_cupti_override(const char *name, void *real) {
    static const struct {
        const char *name;
        void *wrapper;
    } table[] = {
#define X(name, parameters, arguments) {#name, (void *)name},
        XS_CUPTI_OVERRIDES(X)
#undef X
    };
    if (!real || !name || strncmp(name, "cupti", 5) != 0)
        return real;
    for (unsigned i = 0; i < OVERRIDE_COUNT; i++) {
        if (strcmp(name, table[i].name) != 0)
            continue;
        void *wrapper = table[i].wrapper;
        if (real == wrapper)
            return real_function((enum override)i, name) ? wrapper : NULL;
        atomic_store(&reals[i], real);
        return wrapper;
    }
    return real;
}
