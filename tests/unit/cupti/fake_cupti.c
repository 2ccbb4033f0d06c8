/* Simulates a libcupti that does what its test requests: one subscriber, and one buffer that is filled through the
 * registered callbacks. */
#include <cupti.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cupti.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_cupti fake_cupti_state;
#define fake fake_cupti_state

EXPORT CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = 130001;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetTimestamp(uint64_t *stamp) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *stamp = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + FAKE_OFFSET_NS;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *data) {
    (void)data;
    if (fake.subscriber)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    fake.subscriber = callback;
    *subscriber = (CUpti_SubscriberHandle)&fake;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *data,
                                     CUpti_SubscriberParams *params) {
    CUptiResult result = cuptiSubscribe(subscriber, callback, data);
    if (result != CUPTI_SUCCESS && params->oldSubscriberName)
        strcpy(params->oldSubscriberName, "CUPTI for somebody");
    return result;
}

EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
    (void)subscriber;
    fake.subscriber = NULL;
    fake.callbacks = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId id) {
    (void)subscriber;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= 700) /* an older version: does not know the newest */
        return CUPTI_ERROR_INVALID_PARAMETER;
    fake.callbacks += enable ? 1 : -1;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *bytes, void *value) {
    if (attribute != CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER || *bytes != 1 || fake.kinds)
        return CUPTI_ERROR_INVALID_PARAMETER;
    fake.shares_buffers = *(uint8_t *)value == 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                  CUpti_BuffersCallbackCompleteFunc completed) {
    fake.requested = requested;
    fake.completed = completed;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    if (kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)
        return CUPTI_ERROR_NOT_COMPATIBLE;
    fake.kinds |= UINT64_C(1) << kind;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    fake.kinds &= ~(UINT64_C(1) << kind);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
                                                              uint32_t count) {
    if (fake.kinds & UINT64_C(1) << CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
        return CUPTI_ERROR_INVALID_OPERATION;
    for (uint32_t i = 0; i < count; i++)
        fake.counters += config[i].enable ? 1 : -1;
    return CUPTI_SUCCESS;
}

/* Hands over copies of the records that the test has prepared, in one buffer. */
static CUptiResult hand_over(void) {
    if (!fake.pending || !fake.kinds)
        return CUPTI_SUCCESS;
    uint8_t *buffer = NULL;
    size_t bytes = 0, limit = 0;
    fake.requested(&buffer, &bytes, &limit);
    if (!buffer || bytes < fake.pending * sizeof(union fake_record))
        return CUPTI_ERROR_OUT_OF_MEMORY;
    memcpy(buffer, fake.records, fake.pending * sizeof(union fake_record));
    fake.completed(NULL, 0, buffer, bytes, fake.pending * sizeof(union fake_record));
    fake.pending = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    fake.overlaps += fake.flushing++ > 0;
    fake.flushes[flag & 1]++;
    sched_yield(); /* so that another thread may come */
    if (fake.during_flush)
        fake.during_flush();
    CUptiResult result = hand_over();
    fake.flushing--;
    return result;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped) {
    (void)context;
    (void)stream;
    *dropped = fake.dropped;
    fake.dropped = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, CUpti_Activity **record) {
    uint8_t *next = *record ? (uint8_t *)*record + sizeof(union fake_record) : buffer;
    if (next + sizeof(union fake_record) > buffer + bytes)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiFinalize(void) {
    fake.finalized++;
    if (fake.finalize_fails)
        return CUPTI_ERROR_UNKNOWN;
    fake.subscriber = NULL;
    fake.kinds = 0;
    fake.shares_buffers = false;
    return CUPTI_SUCCESS;
}
