/* Activity buffers: asked of the client, filled as work ends, handed back by a thread of ours when full and by a flush.
 * Also the settings of activity collection. */
#include "cupti_sim.h"

#include "clock/virtual_clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define VIRTUAL_EPOCH_NS UINT64_C(1700000000000000000)

struct buffer {
    uint8_t *bytes;
    size_t size, used, records, most_records;
    struct buffer *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, settled = PTHREAD_COND_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static struct buffer *current, *full, **full_tail = &full;
static bool has_thread;
static unsigned delivering;
static uint32_t period_ms;
static size_t dropped;
static atomic_uchar enabled[CUPTI_ACTIVITY_KIND_COUNT];
static bool count_to_device, count_to_host;
static size_t attributes[16] = {3200000, 8 << 20, 250, 65536, 250};

static CUpti_TimestampCallbackFunc timestamp;
static int64_t offset_ns;
static uint64_t offset_taken_ns;

/* ---- time ---- */

static uint64_t clock_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The wall clock; with the virtual clock preloaded, that one since 1970. */
static uint64_t wall_ns(void) {
    return xs_virtual_clock_now != NULL ? xs_virtual_clock_now() + VIRTUAL_EPOCH_NS : clock_ns(CLOCK_REALTIME);
}

static uint64_t client_now(void) { return timestamp != NULL ? timestamp() : wall_ns(); }

/* The difference of the clocks is measured once a second, so that records keep their order among themselves. */
uint64_t xs_cupti_client_time(uint64_t monotonic_ns) {
    pthread_mutex_lock(&lock);
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (offset_taken_ns == 0 || now - offset_taken_ns > 1000000000u) {
        offset_ns = (int64_t)(client_now() - now);
        offset_taken_ns = now;
    }
    uint64_t result = monotonic_ns + (uint64_t)offset_ns;
    pthread_mutex_unlock(&lock);
    return result;
}

XS_EXPORT CUptiResult cuptiGetTimestamp(uint64_t *out) {
    if (out == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *out = client_now();
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc funcTimestamp) {
    if (funcTimestamp == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    timestamp = funcTimestamp;
    offset_taken_ns = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

/* ---- buffers ---- */

static void retire_locked(void) {
    if (current == NULL)
        return;
    current->next = NULL;
    *full_tail = current;
    full_tail = &current->next;
    current = NULL;
}

static void deliver_all_locked(void) {
    while (full != NULL) {
        struct buffer *buffer = full;
        full = buffer->next;
        if (full == NULL)
            full_tail = &full;
        delivering++;
        pthread_mutex_unlock(&lock);
        complete(NULL, 0, buffer->bytes, buffer->size, buffer->used);
        free(buffer);
        pthread_mutex_lock(&lock);
        delivering--;
        pthread_cond_broadcast(&settled);
    }
}

static void *deliver(void *data) {
    (void)data;
    pthread_mutex_lock(&lock);
    for (;;) {
        if (full != NULL && xs_cupti_usable()) {
            deliver_all_locked();
        } else if (period_ms > 0) {
            uint64_t until = clock_ns(CLOCK_REALTIME) + (uint64_t)period_ms * 1000000u;
            struct timespec wake = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
            pthread_cond_timedwait(&work, &lock, &wake);
            if (current != NULL && current->used > 0)
                retire_locked();
        } else {
            pthread_cond_wait(&work, &lock);
        }
    }
    return NULL;
}

static void start_thread_locked(void) {
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    if (has_thread)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    has_thread = pthread_create(&thread, &attr, deliver, NULL) == 0;
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct buffer *new_buffer(CUpti_BuffersCallbackRequestFunc ask) {
    struct buffer *buffer = calloc(1, sizeof(*buffer));
    if (buffer == NULL)
        return NULL;
    ask(&buffer->bytes, &buffer->size, &buffer->most_records);
    if (buffer->bytes == NULL || buffer->size == 0) {
        free(buffer);
        return NULL;
    }
    return buffer;
}

static bool has_room(const struct buffer *buffer, size_t bytes) {
    return buffer != NULL && buffer->size - buffer->used >= bytes &&
           (buffer->most_records == 0 || buffer->records < buffer->most_records);
}

void xs_cupti_append(const void *record, size_t bytes) {
    pthread_mutex_lock(&lock);
    if (!has_room(current, bytes)) {
        if (current != NULL) {
            retire_locked();
            pthread_cond_signal(&work);
        }
        CUpti_BuffersCallbackRequestFunc ask = request;
        pthread_mutex_unlock(&lock);
        struct buffer *fresh = ask != NULL ? new_buffer(ask) : NULL;
        pthread_mutex_lock(&lock);
        /* Another thread may have been as quick: then its buffer goes back first. */
        if (fresh != NULL) {
            retire_locked();
            current = fresh;
        }
    }
    if (has_room(current, bytes)) {
        memcpy(current->bytes + current->used, record, bytes);
        current->used += bytes;
        current->records++;
    } else {
        dropped++;
    }
    pthread_mutex_unlock(&lock);
}

XS_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                                     CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
    if (funcBufferRequested == NULL || funcBufferCompleted == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    request = funcBufferRequested;
    complete = funcBufferCompleted;
    start_thread_locked();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    (void)flag; /* records are complete when they are written, so that both kinds of flush are one */
    pthread_mutex_lock(&lock);
    if (complete == NULL) {
        pthread_mutex_unlock(&lock);
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    if (current != NULL && current->used > 0)
        retire_locked();
    deliver_all_locked();
    while (delivering > 0)
        pthread_cond_wait(&settled, &lock);
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityFlush(CUcontext context, uint32_t streamId, uint32_t flag) {
    (void)context, (void)streamId;
    return cuptiActivityFlushAll(flag);
}

XS_EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t time) {
    pthread_mutex_lock(&lock);
    period_ms = time;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId, size_t *out) {
    (void)context, (void)streamId;
    if (out == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    *out = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes,
                                                 CUpti_Activity **record) {
    if (buffer == NULL || record == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    uint8_t *next = buffer;
    if (*record != NULL) {
        size_t bytes = xs_cupti_record_bytes((*record)->kind);
        if (bytes == 0)
            return CUPTI_ERROR_INVALID_KIND;
        next = (uint8_t *)*record + bytes;
    }
    if (next >= buffer + validBufferSizeBytes)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return xs_cupti_record_bytes((*record)->kind) > 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

/* ---- what is collected ---- */

bool xs_cupti_enabled(CUpti_ActivityKind kind) {
    return atomic_load_explicit(&enabled[kind], memory_order_relaxed) != 0;
}

static CUptiResult enable(CUpti_ActivityKind kind, bool on) {
    if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
        return CUPTI_ERROR_INVALID_KIND;
    if (xs_cupti_driver() == NULL)
        return CUPTI_ERROR_NOT_INITIALIZED;
    /* The two kernel kinds exclude each other. */
    if (on && ((kind == CUPTI_ACTIVITY_KIND_KERNEL && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) ||
               (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_KERNEL))))
        return CUPTI_ERROR_NOT_COMPATIBLE;
    atomic_store(&enabled[kind], on);
    return CUPTI_SUCCESS;
}

void xs_cupti_disable_all(void) {
    for (int kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
        atomic_store(&enabled[kind], 0);
}

XS_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return enable(kind, true); }

XS_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return enable(kind, false); }

XS_EXPORT CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
    (void)context;
    return enable(kind, true);
}

XS_EXPORT CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
    (void)context;
    return enable(kind, false);
}

XS_EXPORT CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
                                                                 uint32_t count) {
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
    return attribute(attr, valueSize, value, true);
}

XS_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t *valueSize, void *value) {
    return attribute(attr, valueSize, value, false);
}

XS_EXPORT CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t on) {
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableDeviceGraph(uint8_t on) {
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableHWTrace(uint8_t on) {
    return on != 0 ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t on) {
    (void)on;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityEnableAllocationSource(uint8_t on) {
    (void)on;
    return CUPTI_SUCCESS;
}
