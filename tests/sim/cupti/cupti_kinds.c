/* Which kinds of records are collected, the counters of managed memory, and the other settings of activity. */
#include "cupti_sim.h"

#include "clock/virtual_clock.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const size_t default_attributes[16] = {3200000, 8 << 20, 250,
                                              65536,   250,     [CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = 1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;
/* Of each kind; WAS_ON: in this attachment. */
enum { NEVER_ON, IS_ON, WAS_ON };
static atomic_uchar states[CUPTI_ACTIVITY_KIND_COUNT];
static bool count_to_device, count_to_host;
static uint64_t counted_records;
static size_t attributes[16] = {3200000, 8 << 20, 250,
                                65536,   250,     [CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = 1};

bool xs_cupti_enabled(CUpti_ActivityKind kind) {
    return atomic_load_explicit(&states[kind], memory_order_relaxed) == IS_ON;
}

bool xs_cupti_threads_have_buffers(void) {
    pthread_mutex_lock(&lock);
    bool result = attributes[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] != 0;
    pthread_mutex_unlock(&lock);
    return result;
}

bool xs_cupti_was_enabled(CUpti_ActivityKind kind) {
    return atomic_load_explicit(&states[kind], memory_order_relaxed) == WAS_ON;
}

static CUptiResult enable(const char *function, CUpti_ActivityKind kind, bool on) {
    if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
        return CUPTI_ERROR_INVALID_KIND;
    if (xs_cupti_driver() == NULL)
        return CUPTI_ERROR_NOT_INITIALIZED;
    /* The two kernel kinds exclude each other. */
    if (on && ((kind == CUPTI_ACTIVITY_KIND_KERNEL && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) ||
               (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_KERNEL))))
        return CUPTI_ERROR_NOT_COMPATIBLE;
    if (on) {
        xs_cupti_attach_begin(function);
        atomic_store(&states[kind], IS_ON);
        xs_cupti_attach_end();
    } else {
        xs_cupti_disable_begin(function);
        if (xs_cupti_enabled(kind))
            atomic_store(&states[kind], WAS_ON);
        xs_cupti_attach_end();
    }
    return CUPTI_SUCCESS;
}

void xs_cupti_forget_kinds(void) {
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
        atomic_store(&states[kind], NEVER_ON);
    count_to_device = count_to_host = false;
    memcpy(attributes, default_attributes, sizeof(attributes));
    pthread_mutex_unlock(&lock);
}

/* ---- the counters of managed memory ---- */

void xs_cupti_counted(void) {
    pthread_mutex_lock(&lock);
    counted_records++;
    pthread_cond_broadcast(&counted);
    pthread_mutex_unlock(&lock);
}

static struct timespec real_time_in(uint64_t ns) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t end = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + ns;
    return (struct timespec){(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
}

/* Measured on driver 580: a thread of CUPTI's is waited for that only a migration wakes, for two seconds at most. It is
 * not there where both the kind and the configuration were switched off. */
void xs_cupti_end_counters(void) {
    uint64_t patience_ns = xs_cupti_setting("XFERSPY_SIM_CUPTI_COUNTERS_MS", 2000) * 1000000u;
    pthread_mutex_lock(&lock);
    unsigned state = atomic_load(&states[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER]);
    bool running = state == IS_ON || (state == WAS_ON && (count_to_device || count_to_host));
    if (running && xs_virtual_clock_advance != NULL) {
        xs_virtual_clock_advance(patience_ns);
    } else if (running) {
        uint64_t before = counted_records;
        struct timespec until = real_time_in(patience_ns);
        while (counted_records == before && pthread_cond_timedwait(&counted, &lock, &until) != ETIMEDOUT)
            ;
    }
    pthread_mutex_unlock(&lock);
}

XS_EXPORT CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
                                                                 uint32_t count) {
    XS_CUPTI_CALL();
    if (config == NULL || count == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        if (config[i].kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD)
            count_to_device = config[i].enable != 0;
        if (config[i].kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH)
            count_to_host = config[i].enable != 0;
    }
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

bool xs_cupti_counts(bool to_device, bool to_host) {
    pthread_mutex_lock(&lock);
    bool result = (to_device && count_to_device) || (to_host && count_to_host) || (!to_device && !to_host);
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- settings ---- */

XS_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    XS_CUPTI_CALL();
    return enable(__func__, kind, true);
}

XS_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    XS_CUPTI_CALL();
    return enable(__func__, kind, false);
}

XS_EXPORT CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
    XS_CUPTI_CALL();
    (void)context;
    return enable(__func__, kind, true);
}

XS_EXPORT CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
    XS_CUPTI_CALL();
    (void)context;
    return enable(__func__, kind, false);
}

static CUptiResult attribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value, bool set) {
    if (valueSize == NULL || value == NULL || (unsigned)attr >= sizeof(attributes) / sizeof(attributes[0]))
        return CUPTI_ERROR_INVALID_PARAMETER;
    size_t bytes = *valueSize < sizeof(size_t) ? *valueSize : sizeof(size_t);
    if (bytes == 0)
        return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    pthread_mutex_lock(&lock);
    if (set)
        attributes[attr] = 0;
    memcpy(set ? (void *)&attributes[attr] : value, set ? value : (void *)&attributes[attr], bytes);
    pthread_mutex_unlock(&lock);
    *valueSize = bytes;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
    XS_CUPTI_CALL();
    return attribute(attr, valueSize, value, true);
}

XS_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
    XS_CUPTI_CALL();
    return attribute(attr, valueSize, value, false);
}

XS_EXPORT CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t on) {
    XS_CUPTI_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableDeviceGraph(uint8_t on) {
    XS_CUPTI_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableHWTrace(uint8_t on) {
    XS_CUPTI_CALL();
    return on != 0 ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t on) {
    XS_CUPTI_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableAllocationSource(uint8_t on) {
    XS_CUPTI_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}
