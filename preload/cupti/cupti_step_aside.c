/* Defines the functions by which an application takes CUPTI for itself, one row each. The library exports each of them
 * in place of CUPTI's: xferspy ends its own session, and then passes the call to the application's CUPTI. If both use
 * the shared interface, xferspy's session continues at the same time as the application's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/core/compiler.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/guard.h"
#include "preload/cupti/cupti_internal.h"

/* The second group measures hardware counters, sometimes by running kernels repeatedly. Recording would disturb this,
 * and its results would be useless. The parameter structures are not read. */
#define XS_CUPTI_OVERRIDES(X)                                                                                          \
    X(cuptiSubscribe, (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *data),                  \
      (subscriber, callback, data))                                                                                    \
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

/* Global functions that an application may call before it subscribes. They do not disturb a global session, but CUPTI
 * refuses them while there is a session of the shared interface. */
#define XS_CUPTI_GLOBALS(X)                                                                                            \
    X(cuptiGetTimestamp, (uint64_t * timestamp), (timestamp))                                                          \
    X(cuptiActivityGetAttribute, (CUpti_ActivityAttribute attribute, size_t * bytes, void *value),                     \
      (attribute, bytes, value))                                                                                       \
    X(cuptiActivitySetAttribute, (CUpti_ActivityAttribute attribute, size_t * bytes, void *value),                     \
      (attribute, bytes, value))                                                                                       \
    X(cuptiActivityEnableLatencyTimestamps, (uint8_t enable), (enable))                                                \
    X(cuptiActivityEnableLaunchAttributes, (uint8_t enable), (enable))                                                 \
    X(cuptiActivityEnableDeviceGraph, (uint8_t enable), (enable))                                                      \
    X(cuptiActivityEnableHWTrace, (uint8_t enable), (enable))                                                          \
    X(cuptiActivityEnableAllocationSource, (uint8_t enable), (enable))                                                 \
    X(cuptiActivityEnableAllSyncRecords, (uint8_t enable), (enable))                                                   \
    X(cuptiActivityEnableCudaEventDeviceTimestamps, (uint8_t enable), (enable))                                        \
    X(cuptiActivityEnableDriverApi, (CUpti_CallbackId id, uint8_t enable), (id, enable))                               \
    X(cuptiActivityEnableRuntimeApi, (CUpti_CallbackId id, uint8_t enable), (id, enable))

/* Functions by which a subscriber of the shared interface says what it wants to record. The first subscriber, which may
 * be xferspy, decides some of this for all: HES, and whether graphs are recorded as a whole. */
#define XS_CUPTI_OF_SUBSCRIBERS(X)                                                                                     \
    X(cuptiActivityEnable_v2, (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void *config),              \
      (subscriber, kind, config))                                                                                      \
    X(cuptiActivityEnableAndDump_v2, (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void *config),       \
      (subscriber, kind, config))                                                                                      \
    X(cuptiActivitySetAttribute_v2,                                                                                    \
      (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute, size_t * bytes, void *value),             \
      (subscriber, attribute, bytes, value))

/* The wrappers of these functions are written separately, at the end of this file. */
#define XS_CUPTI_SINGLE(X)                                                                                             \
    X(cuptiSubscribe_v2,                                                                                               \
      (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *data, CUpti_SubscriberParams *params),  \
      (subscriber, callback, data, params))                                                                            \
    X(cuptiUnsubscribe, (CUpti_SubscriberHandle subscriber), (subscriber))

#define XS_CUPTI_ALL(X) XS_CUPTI_OVERRIDES(X) XS_CUPTI_GLOBALS(X) XS_CUPTI_OF_SUBSCRIBERS(X) XS_CUPTI_SINGLE(X)

#define X(name, parameters, arguments) OVERRIDE_##name,
enum override { XS_CUPTI_ALL(X) OVERRIDE_COUNT };
#undef X

/* The wrappers are exported for programs that are linked to CUPTI. For functions that a program looks up,
 * xs_cupti_override remembers the real function. */
#define X(name, parameters, arguments) XS_EXPORT CUptiResult CUPTIAPI name parameters;
XS_CUPTI_ALL(X)
#undef X

static _Atomic bool theirs;

bool xs_cupti_is_theirs(void) { return atomic_load_explicit(&theirs, memory_order_relaxed); }

/* The application's real functions: those that it looked up, or to which the loader would have bound it. */
static _Atomic(void *) reals[OVERRIDE_COUNT];

static void *real_function(enum override which, const char *name) {
    void *real = atomic_load(&reals[which]);
    if (real)
        return real;
    real = xs_real_dlsym(RTLD_NEXT, name);
    /* A program is also bound to xferspy's export if its libcupti was loaded with local scope, as Python loads
     * libraries. */
    if (!real)
        real = xs_cupti_mapped_symbol(name, xs_cupti_handle());
    if (real)
        atomic_store(&reals[which], real);
    return real;
}

/* True if CUPTI may have refused the call because there is, or was, another subscriber. */
static bool is_refused(CUptiResult result) {
    return result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || result == CUPTI_ERROR_NOT_COMPATIBLE ||
           result == CUPTI_ERROR_INVALID_OPERATION;
}

/* Stands at the start of a wrapper: declares the real function as `real`, or returns from the wrapper if there is none.
 */
#define XS_CUPTI_FIND_REAL(name)                                                                                       \
    __typeof__(name) *real;                                                                                            \
    void *found = real_function(OVERRIDE_##name, #name);                                                               \
    if (!found)                                                                                                        \
        return CUPTI_ERROR_NOT_INITIALIZED;                                                                            \
    memcpy(&real, &found, sizeof real)

/* The driver calls that CUPTI makes during `call` are not the application's, so the guard is raised. */
#define XS_CUPTI_GUARDED(result, call)                                                                                 \
    do {                                                                                                               \
        struct xs_guard_own own;                                                                                       \
        xs_guard_enter(&own);                                                                                          \
        result = call;                                                                                                 \
        xs_guard_leave(&own);                                                                                          \
    } while (0)

#define X(name, parameters, arguments)                                                                                 \
    CUptiResult CUPTIAPI name parameters {                                                                             \
        CUptiResult result;                                                                                            \
        XS_CUPTI_FIND_REAL(name);                                                                                      \
        atomic_store(&theirs, true);                                                                                   \
        xs_cupti_step_aside(#name);                                                                                    \
        XS_CUPTI_GUARDED(result, real arguments);                                                                      \
        if (XS_UNLIKELY(is_refused(result)) && xs_cupti_leave_no_trace())                                              \
            XS_CUPTI_GUARDED(result, real arguments);                                                                  \
        return result;                                                                                                 \
    }
XS_CUPTI_OVERRIDES(X)
#undef X

#define X(name, parameters, arguments)                                                                                 \
    CUptiResult CUPTIAPI name parameters {                                                                             \
        CUptiResult result;                                                                                            \
        XS_CUPTI_FIND_REAL(name);                                                                                      \
        if (XS_UNLIKELY(xs_cupti_is_in_the_way()))                                                                     \
            xs_cupti_step_aside(#name);                                                                                \
        XS_CUPTI_GUARDED(result, real arguments);                                                                      \
        if (XS_UNLIKELY(is_refused(result)) && xs_cupti_leave_no_trace())                                              \
            XS_CUPTI_GUARDED(result, real arguments);                                                                  \
        return result;                                                                                                 \
    }
XS_CUPTI_GLOBALS(X)
#undef X

#define XS_SECOND(first, second, ...) second

static bool records_graphs(enum override which, unsigned kind) {
    return which != OVERRIDE_cuptiActivitySetAttribute_v2 && kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
}

#define X(name, parameters, arguments)                                                                                 \
    CUptiResult CUPTIAPI name parameters {                                                                             \
        CUptiResult result;                                                                                            \
        XS_CUPTI_FIND_REAL(name);                                                                                      \
        XS_CUPTI_GUARDED(result, real arguments);                                                                      \
        if (XS_UNLIKELY(is_refused(result)) && xs_cupti_is_active() && xs_cupti_shares()) {                            \
            xs_cupti_step_aside(#name);                                                                                \
            XS_CUPTI_GUARDED(result, real arguments);                                                                  \
        }                                                                                                              \
        if (result == CUPTI_SUCCESS && records_graphs(OVERRIDE_##name, (unsigned)XS_SECOND arguments))                 \
            xs_cupti_graphs_are_theirs();                                                                              \
        return result;                                                                                                 \
    }
XS_CUPTI_OF_SUBSCRIBERS(X)
#undef X

/* True if the application allows other subscribers. In older headers the structure ends before that field. */
static bool allows_others(const CUpti_SubscriberParams *params) {
    struct xs_cupti_subscriber_params known = {0};
    if (!params || params->structSize <= offsetof(struct xs_cupti_subscriber_params, allow_multiple_subscribers))
        return false;
    memcpy(&known, params, offsetof(struct xs_cupti_subscriber_params, padding));
    return known.allow_multiple_subscribers == 1;
}

/* If the call fails while xferspy's session exists, it is tried again without the session, so that the application gets
 * the same result as without xferspy. */
CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *data,
                                       CUpti_SubscriberParams *params) {
    CUptiResult result;
    XS_CUPTI_FIND_REAL(cuptiSubscribe_v2);
    atomic_store(&theirs, true);
    bool beside = allows_others(params) && xs_cupti_stay_beside(found);
    if (!beside)
        xs_cupti_step_aside("cuptiSubscribe_v2");
    XS_CUPTI_GUARDED(result, real(subscriber, callback, data, params));
    if (beside)
        xs_cupti_other_is(result == CUPTI_SUCCESS);
    if (!is_refused(result))
        return result;
    xs_cupti_step_aside("cuptiSubscribe_v2");
    if (beside)
        XS_CUPTI_GUARDED(result, real(subscriber, callback, data, params));
    if (is_refused(result) && xs_cupti_leave_no_trace())
        XS_CUPTI_GUARDED(result, real(subscriber, callback, data, params));
    return result;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
    CUptiResult result;
    XS_CUPTI_FIND_REAL(cuptiUnsubscribe);
    XS_CUPTI_GUARDED(result, real(subscriber));
    if (result == CUPTI_SUCCESS)
        xs_cupti_other_is(false);
    return result;
}

void *xs_cupti_override(const char *name, void *real) {
    static const struct {
        const char *name;
        void *wrapper;
    } table[] = {
#define X(name, parameters, arguments) {#name, (void *)name},
        XS_CUPTI_ALL(X)
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
