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
/* The state of each kind. WAS_ON: it was on earlier in this attachment. */
enum { NEVER_ON, IS_ON, WAS_ON };
static atomic_uchar states[XS_CUPTI_CLIENTS][CUPTI_ACTIVITY_KIND_COUNT];
static bool count_to_device, count_to_host, count_faults;
static uint64_t counted_records;
/* The first subscriber decides about HES for all subscribers, from CUPTI 13.2 on. */
#define ATTRIBUTE_HES ((CUpti_ActivityAttribute)13)
#define DEFAULTS                                                                                                       \
    { 3200000, 8 << 20, 250, 65536, 250, [CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = 1 }
static size_t attributes[XS_CUPTI_CLIENTS][16] = {DEFAULTS, DEFAULTS, DEFAULTS, DEFAULTS};

static bool any_client_is(CUpti_ActivityKind kind, unsigned state) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        if (atomic_load_explicit(&states[i][kind], memory_order_relaxed) == state)
            return true;
    return false;
}

bool xs_cupti_enabled(CUpti_ActivityKind kind) { return any_client_is(kind, IS_ON); }

bool xs_cupti_client_wants(int client, CUpti_ActivityKind kind) {
    return atomic_load_explicit(&states[client][kind], memory_order_relaxed) == IS_ON;
}

bool xs_cupti_client_gets(int client, CUpti_ActivityKind kind) {
    return xs_cupti_client_wants(client, kind) ||
           (kind == CUPTI_ACTIVITY_KIND_MEMCPY2 && xs_cupti_client_wants(client, CUPTI_ACTIVITY_KIND_MEMCPY));
}

bool xs_cupti_any_kind(int client) {
    for (int kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
        if (xs_cupti_client_wants(client, (CUpti_ActivityKind)kind))
            return true;
    return false;
}

unsigned xs_sim_recording(void) {
    unsigned count = 0;
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        count += xs_cupti_any_kind(i);
    return count;
}

bool xs_cupti_threads_have_buffers(void) {
    bool result = false;
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++) {
        bool is_there = i == XS_CUPTI_GLOBAL_CLIENT ? !xs_cupti_is_shared() : xs_cupti_is_subscribed(i);
        pthread_mutex_lock(&lock);
        result |= is_there && attributes[i][CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] != 0;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

bool xs_cupti_was_enabled(CUpti_ActivityKind kind) { return any_client_is(kind, WAS_ON); }

static CUptiResult enable(const char *function, int client, CUpti_ActivityKind kind, bool on) {
    if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
        return CUPTI_ERROR_INVALID_KIND;
    if (xs_cupti_driver() == NULL)
        return CUPTI_ERROR_NOT_INITIALIZED;
    /* The two kernel kinds exclude each other. */
    const CUpti_ActivityKind one = CUPTI_ACTIVITY_KIND_KERNEL, other = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    if (on && ((kind == one && xs_cupti_client_wants(client, other)) ||
               (kind == other && xs_cupti_client_wants(client, one))))
        return CUPTI_ERROR_NOT_COMPATIBLE;
    if (on) {
        xs_cupti_attach_begin(function);
        atomic_store(&states[client][kind], IS_ON);
        xs_cupti_attach_end();
    } else {
        xs_cupti_disable_begin(function);
        if (xs_cupti_client_wants(client, kind))
            atomic_store(&states[client][kind], WAS_ON);
        xs_cupti_attach_end();
    }
    return CUPTI_SUCCESS;
}

void xs_cupti_forget_kinds(int client) {
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
        atomic_store(&states[client][kind], NEVER_ON);
    if (client == XS_CUPTI_GLOBAL_CLIENT)
        count_to_device = count_to_host = count_faults = false;
    memcpy(attributes[client], default_attributes, sizeof(default_attributes));
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
    const CUpti_ActivityKind counters = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    bool running = xs_cupti_enabled(counters) || (xs_cupti_was_enabled(counters) && (count_to_device || count_to_host));
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
        if (config[i].kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT)
            count_faults = config[i].enable != 0;
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

bool xs_cupti_counts_faults(void) {
    pthread_mutex_lock(&lock);
    bool result = count_faults;
    pthread_mutex_unlock(&lock);
    return result && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) && !xs_cupti_was_finalized();
}

uint64_t xs_cupti_fault_ns(void) {
    return xs_cupti_counts_faults() ? xs_cupti_setting("XFERSPY_SIM_CUPTI_FAULT_NS", 0) : 0;
}

/* ---- settings ---- */

XS_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    XS_CUPTI_GLOBAL_CALL();
    return enable(__func__, XS_CUPTI_GLOBAL_CLIENT, kind, true);
}

XS_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    XS_CUPTI_GLOBAL_CALL();
    return enable(__func__, XS_CUPTI_GLOBAL_CLIENT, kind, false);
}

XS_EXPORT CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
    XS_CUPTI_GLOBAL_CALL();
    (void)context;
    return enable(__func__, XS_CUPTI_GLOBAL_CLIENT, kind, true);
}

XS_EXPORT CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
    XS_CUPTI_GLOBAL_CALL();
    (void)context;
    return enable(__func__, XS_CUPTI_GLOBAL_CLIENT, kind, false);
}

static CUptiResult attribute(int client, CUpti_ActivityAttribute attr, size_t *valueSize, void *value, bool set) {
    if (valueSize == NULL || value == NULL || (unsigned)attr >= sizeof(attributes[0]) / sizeof(attributes[0][0]))
        return CUPTI_ERROR_INVALID_PARAMETER;
    size_t bytes = *valueSize < sizeof(size_t) ? *valueSize : sizeof(size_t);
    if (bytes == 0)
        return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    pthread_mutex_lock(&lock);
    if (set)
        attributes[client][attr] = 0;
    memcpy(set ? (void *)&attributes[client][attr] : value, set ? value : (void *)&attributes[client][attr], bytes);
    pthread_mutex_unlock(&lock);
    *valueSize = bytes;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
    XS_CUPTI_GLOBAL_CALL();
    return attribute(XS_CUPTI_GLOBAL_CLIENT, attr, valueSize, value, true);
}

XS_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
    XS_CUPTI_GLOBAL_CALL();
    return attribute(XS_CUPTI_GLOBAL_CLIENT, attr, valueSize, value, false);
}

/* ---- the same for a subscriber; of other layouts of records there are none here ---- */

XS_EXPORT CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void *config) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    return config != NULL ? CUPTI_ERROR_NOT_SUPPORTED : enable("cuptiActivityEnable", client, kind, true);
}

XS_EXPORT CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind,
                                              void *config) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    return config != NULL ? CUPTI_ERROR_NOT_SUPPORTED : enable("cuptiActivityDisable", client, kind, false);
}

XS_EXPORT CUptiResult cuptiActivitySetAttribute_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attr,
                                                   size_t *valueSize, void *value) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    for (int i = 0; attr == ATTRIBUTE_HES && i < XS_CUPTI_CLIENTS; i++)
        if (xs_cupti_any_kind(i))
            return CUPTI_ERROR_INVALID_OPERATION;
    return attribute(client, attr, valueSize, value, true);
}

XS_EXPORT CUptiResult cuptiActivityGetAttribute_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attr,
                                                   size_t *valueSize, void *value) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    return attribute(client, attr, valueSize, value, false);
}

/* ---- settings that change nothing here ---- */

XS_EXPORT CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t on) {
    XS_CUPTI_GLOBAL_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableDeviceGraph(uint8_t on) {
    XS_CUPTI_GLOBAL_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableHWTrace(uint8_t on) {
    XS_CUPTI_GLOBAL_CALL();
    return on != 0 ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t on) {
    XS_CUPTI_GLOBAL_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableAllocationSource(uint8_t on) {
    XS_CUPTI_GLOBAL_CALL();
    (void)on;
    return CUPTI_SUCCESS;
}
