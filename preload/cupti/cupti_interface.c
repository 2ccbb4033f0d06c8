/* Calls CUPTI by one of its two interfaces: the global one, which allows one subscriber in a process, or the shared one
 * of CUDA 13.3, whose functions have a subscriber as parameter, so that several subscribers can use them at the same
 * time (cupti_multi.h). */
#include <stdatomic.h>

#include "preload/cupti/cupti_internal.h"

static CUpti_SubscriberHandle subscriber;
/* `shares`: sessions in this process use the shared interface. `subscribed`: the library is subscribed now. */
static _Atomic bool shares;
static bool subscribed;
static _Atomic unsigned others;

CUpti_SubscriberHandle xs_cupti_subscriber(void) { return subscriber; }

/* ---- which interface ---- */

bool xs_cupti_shares(void) { return atomic_load_explicit(&shares, memory_order_relaxed); }

void xs_cupti_choose_interface(int driver_version) {
    bool has_all = xs_cupti_api.cuptiSubscribe_v2 != NULL;
#define X(name, parameters) has_all = has_all && xs_cupti_api.name;
    XS_CUPTI_MULTI(X)
#undef X
    atomic_store(&shares,
                 has_all && xs_cupti_api.version >= XS_CUPTI_13_3_1 && driver_version >= XS_CUPTI_MULTI_DRIVER);
}

void xs_cupti_share_no_more(void) { atomic_store(&shares, false); }

unsigned xs_cupti_others(void) { return atomic_load_explicit(&others, memory_order_relaxed); }
void xs_cupti_other_came(void) { atomic_fetch_add(&others, 1); }
void xs_cupti_other_left(void) { atomic_fetch_sub(&others, xs_cupti_others() > 0); }
bool xs_cupti_shares_now(void) { return subscribed && xs_cupti_shares(); }
bool xs_cupti_is_beside(void) { return xs_cupti_shares_now() && xs_cupti_others() > 0; }

void xs_cupti_forget_interface(void) {
    atomic_store(&shares, false);
    subscribed = false;
    atomic_store(&others, 0);
}

/* ---- subscribing ---- */

/* Tries to subscribe only to learn the name of the subscriber that holds CUPTI. */
static void ask_for_holder(char *holder, size_t bytes) {
    CUpti_SubscriberHandle unwanted;
    CUpti_SubscriberParams params = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                     .subscriberName = "xferspy",
                                     .oldSubscriberName = holder,
                                     .oldSubscriberSize = bytes};
    if (xs_cupti_api.cuptiSubscribe_v2(&unwanted, xs_cupti_on_driver_call, NULL, &params) == CUPTI_SUCCESS)
        xs_cupti_api.cuptiUnsubscribe(unwanted);
    holder[bytes - 1] = 0;
}

CUptiResult xs_cupti_subscribe(char *holder, size_t bytes) {
    CUptiResult result;
    holder[0] = 0;
    if (xs_cupti_shares()) {
        struct xs_cupti_subscriber_params params = {
            .bytes = sizeof params, .name = "xferspy", .allow_multiple_subscribers = 1};
        result = xs_cupti_api.cuptiSubscribe_v2(&subscriber, xs_cupti_on_driver_call, NULL,
                                                (CUpti_SubscriberParams *)(void *)&params);
    } else {
        result = xs_cupti_api.cuptiSubscribe(&subscriber, xs_cupti_on_driver_call, NULL);
        if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && xs_cupti_api.cuptiSubscribe_v2)
            ask_for_holder(holder, bytes);
    }
    subscribed = result == CUPTI_SUCCESS;
    return result;
}

void xs_cupti_unsubscribe(void) {
    xs_cupti_api.cuptiUnsubscribe(subscriber);
    subscribed = false;
}

/* ---- buffers ---- */

static void CUPTIAPI requested(uint8_t **data, size_t *bytes, size_t *max_records, void *info) {
    (void)info;
    xs_cupti_buffer_requested(data, bytes, max_records);
}

static void CUPTIAPI completed(uint8_t *data, size_t bytes, size_t valid_bytes, void *info) {
    (void)info;
    xs_cupti_buffer_completed(NULL, 0, data, bytes, valid_bytes);
}

/* From CUPTI 13 on, each thread has buffers of its own by default. cuptiActivityFlushAll then hands over a buffer while
 * its thread writes into it, and the thread crashes (measured: tests/bench/results/budget.md). Buffers that all threads
 * share are protected by CUPTI's lock. Older versions have only shared buffers, or have per-thread buffers only on
 * request. */
CUptiResult xs_cupti_register_buffers(void) {
    uint8_t for_each_thread = 0;
    size_t bytes = sizeof for_each_thread;
    const CUpti_ActivityAttribute attribute = CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER;
    if (xs_cupti_shares()) {
        CUptiResult result = xs_cupti_api.cuptiActivitySetAttribute_v2(subscriber, attribute, &bytes, &for_each_thread);
        return result == CUPTI_SUCCESS
                   ? xs_cupti_api.cuptiActivityRegisterCallbacks_v2(subscriber, requested, completed)
                   : result;
    }
    if (xs_cupti_api.cuptiActivitySetAttribute)
        (void)xs_cupti_api.cuptiActivitySetAttribute(attribute, &bytes, &for_each_thread);
    return xs_cupti_api.cuptiActivityRegisterCallbacks(xs_cupti_buffer_requested, xs_cupti_buffer_completed);
}

size_t xs_cupti_dropped_records(void) {
    size_t dropped = 0;
    CUptiResult result = CUPTI_ERROR_NOT_SUPPORTED;
    if (xs_cupti_shares())
        result = xs_cupti_api.cuptiActivityGetNumDroppedRecords_v2(subscriber, NULL, 0, &dropped);
    else if (xs_cupti_api.cuptiActivityGetNumDroppedRecords)
        result = xs_cupti_api.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped);
    return result == CUPTI_SUCCESS ? dropped : 0;
}

/* The subscriber's handle is valid only until it unsubscribes. A record outside the buffer is an error: only offsets
 * are kept, so it would be mistaken for a record in the buffer. */
static CUptiResult CUPTIAPI next_record(uint8_t *buffer, size_t valid_bytes, CUpti_Activity **record) {
    if (!subscribed)
        return CUPTI_ERROR_INVALID_OPERATION;
    CUptiResult result = xs_cupti_api.cuptiActivityGetNextRecord_v2(subscriber, buffer, valid_bytes, record);
    const uint8_t *found = (const uint8_t *)*record;
    if (result == CUPTI_SUCCESS && (found < buffer || found >= buffer + valid_bytes))
        return CUPTI_ERROR_INVALID_OPERATION;
    return result;
}

xs_cupti_next_record_fn *xs_cupti_next_record(void) {
    return xs_cupti_shares() ? next_record : xs_cupti_api.cuptiActivityGetNextRecord;
}

/* ---- kinds and the clock ---- */

CUptiResult xs_cupti_switch_kind(CUpti_ActivityKind kind, bool on) {
    if (xs_cupti_shares())
        return on ? xs_cupti_api.cuptiActivityEnable_v2(subscriber, kind, NULL)
                  : xs_cupti_api.cuptiActivityDisable_v2(subscriber, kind, NULL);
    return on ? xs_cupti_api.cuptiActivityEnable(kind) : xs_cupti_api.cuptiActivityDisable(kind);
}

/* With the shared interface a subscriber gets no records of failed waits unless it requests them, so nothing has to be
 * switched off. */
void xs_cupti_all_waits(bool on) {
    if (!xs_cupti_shares() && xs_cupti_api.cuptiActivityEnableAllSyncRecords)
        xs_cupti_api.cuptiActivityEnableAllSyncRecords(on);
}

CUptiResult xs_cupti_timestamp(uint64_t *stamp) {
    return xs_cupti_shares() ? xs_cupti_api.cuptiGetTimestamp_v2(subscriber, stamp)
                             : xs_cupti_api.cuptiGetTimestamp(stamp);
}
