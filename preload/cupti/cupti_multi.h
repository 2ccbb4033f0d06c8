/* Declares the functions that CUDA 13.3 adds to CUPTI for several subscribers in one process. They are declared by
 * hand, because xferspy is built with older headers. The source is NVIDIA's documentation of CUPTI 13.4: "Multiple
 * Subscribers" in https://docs.nvidia.com/cupti/main/main.html, and the functions in
 * https://docs.nvidia.com/cupti/api/group__CUPTI__ACTIVITY__API.html. NVIDIA says:
 *
 * - Several subscribers need CUDA 13.3 and driver r610. The first subscriber allows others
 *   (`allow_multiple_subscribers`), and all others must set the flag too.
 * - Each subscriber has its own kinds, buffers and callbacks. There is no per-subscriber function for flushing:
 *   cuptiActivityFlushAll hands over all subscribers' buffers. There are also no new versions of cuptiUnsubscribe, of
 *   the function that configures managed memory counters, and of cuptiEnableCallback, which has always had a
 *   subscriber as parameter.
 * - The functions here and the global functions of the same names cannot be used together in one process. If both are
 *   used, CUPTI returns CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED or, as others have seen,
 *   CUPTI_ERROR_NOT_COMPATIBLE.
 * - cuptiFinalize does nothing while there is more than one subscriber.
 *
 * If the parameter `config` of cuptiActivityEnable_v2 is NULL, the records have the predefined layout. */
#ifndef XFERSPY_PRELOAD_CUPTI_CUPTI_MULTI_H
#define XFERSPY_PRELOAD_CUPTI_CUPTI_MULTI_H

#include <cupti.h>
#include <stddef.h>
#include <stdint.h>

/* The value of cuptiGetVersion in CUDA 13.3 Update 1. CUDA 13.3 itself could crash when two subscribers recorded at the
 * same time. */
#define XS_CUPTI_13_3_1 130301u
/* The value of cuDriverGetVersion for driver r610. */
#define XS_CUPTI_MULTI_DRIVER 13030

/* CUpti_SubscriberParams from CUDA 13.2 on; the older structure ends before `allow_multiple_subscribers`. */
struct xs_cupti_subscriber_params {
    size_t bytes; /* size of this structure */
    const char *name;
    char *old_name;
    size_t old_name_bytes;
    uint8_t allow_multiple_subscribers;
    uint8_t padding[7];
};

/* The types of the two buffer callbacks. `info` describes the records if they do not have the predefined layout. */
typedef void(CUPTIAPI *xs_cupti_requested_v2)(uint8_t **data, size_t *bytes, size_t *max_records, void *info);
typedef void(CUPTIAPI *xs_cupti_completed_v2)(uint8_t *data, size_t bytes, size_t valid_bytes, void *info);

/* Names and parameters of the functions, one row each. */
#define XS_CUPTI_MULTI(X)                                                                                              \
    X(cuptiActivityRegisterCallbacks_v2,                                                                               \
      (CUpti_SubscriberHandle subscriber, xs_cupti_requested_v2 requested, xs_cupti_completed_v2 completed))           \
    X(cuptiActivityEnable_v2, (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void *config))              \
    X(cuptiActivityDisable_v2, (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void *config))             \
    X(cuptiActivitySetAttribute_v2,                                                                                    \
      (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute, size_t * bytes, void *value))             \
    X(cuptiActivityGetNextRecord_v2,                                                                                   \
      (CUpti_SubscriberHandle subscriber, uint8_t * buffer, size_t valid_bytes, CUpti_Activity * *record))             \
    X(cuptiActivityGetNumDroppedRecords_v2,                                                                            \
      (CUpti_SubscriberHandle subscriber, CUcontext context, uint32_t stream, size_t * dropped))                       \
    X(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle subscriber, uint64_t * timestamp))

#endif
