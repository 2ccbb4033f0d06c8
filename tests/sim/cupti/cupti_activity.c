/* Activity buffers: asked of the client, filled as work ends, handed back by a flush, and when full by a thread of
 * ours. */
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
/* The data of each client. */
static struct client {
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    xs_cupti_requested_v2 request_v2; /* in their place */
    xs_cupti_completed_v2 complete_v2;
    struct buffer *current, *full, *last;
    size_t dropped;
} clients[XS_CUPTI_CLIENTS];
static bool has_thread;
static unsigned delivering, asking; /* callbacks of the client's that run now */
static uint64_t unfinished;         /* operations that were queued with a record of this attachment, and did not end */
static struct buffer *lost;         /* buffers that cuptiFinalize did not hand back */
static uint32_t period_ms;

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

XS_EXPORT CUptiResult cuptiGetTimestamp_v2(CUpti_SubscriberHandle subscriber, uint64_t *out) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    (void)client;
    if (out == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *out = client_now();
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetTimestamp(uint64_t *out) {
    XS_CUPTI_GLOBAL_CALL();
    if (out == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *out = client_now();
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc funcTimestamp) {
    XS_CUPTI_GLOBAL_CALL();
    if (funcTimestamp == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    timestamp = funcTimestamp;
    offset_taken_ns = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

/* ---- buffers ---- */

static void retire_locked(struct client *c) {
    if (c->current == NULL)
        return;
    c->current->next = NULL;
    if (c->full != NULL)
        c->last->next = c->current;
    else
        c->full = c->current;
    c->last = c->current;
    c->current = NULL;
}

static void hand_over(const struct client *c, const struct buffer *buffer) {
    if (c->complete_v2 != NULL)
        c->complete_v2(buffer->bytes, buffer->size, buffer->used, NULL);
    else
        c->complete(NULL, 0, buffer->bytes, buffer->size, buffer->used);
}

static void deliver_all_of_locked(struct client *c) {
    while (c->full != NULL) {
        struct buffer *buffer = c->full;
        c->full = buffer->next;
        delivering++;
        struct client now = *c;
        pthread_mutex_unlock(&lock);
        hand_over(&now, buffer);
        free(buffer);
        pthread_mutex_lock(&lock);
        delivering--;
        pthread_cond_broadcast(&settled);
    }
}

static void deliver_all_locked(void) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        deliver_all_of_locked(&clients[i]);
}

static bool any_full_locked(void) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        if (clients[i].full != NULL)
            return true;
    return false;
}

/* A real buffer has a place for each operation from its launch on. While one is unfinished, the buffer is handed over
 * only if that is forced. */
static void retire_all_locked(bool forced) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        if (clients[i].current != NULL && clients[i].current->used > 0 && (unfinished == 0 || forced))
            retire_locked(&clients[i]);
}

static void *deliver(void *data) {
    (void)data;
    pthread_mutex_lock(&lock);
    for (;;) {
        if (any_full_locked() && xs_cupti_usable()) {
            deliver_all_locked();
        } else if (period_ms > 0) {
            uint64_t until = clock_ns(CLOCK_REALTIME) + (uint64_t)period_ms * 1000000u;
            struct timespec wake = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
            pthread_cond_timedwait(&work, &lock, &wake);
            retire_all_locked(false);
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

static struct buffer *new_buffer(const struct client *ask) {
    struct buffer *buffer = calloc(1, sizeof(*buffer));
    if (buffer == NULL)
        return NULL;
    if (ask->request_v2 != NULL)
        ask->request_v2(&buffer->bytes, &buffer->size, &buffer->most_records, NULL);
    else
        ask->request(&buffer->bytes, &buffer->size, &buffer->most_records);
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

/* The client is asked without the lock. */
static struct buffer *ask_for_buffer_locked(const struct client *c) {
    struct client now = *c;
    asking++;
    pthread_mutex_unlock(&lock);
    struct buffer *fresh = now.request != NULL || now.request_v2 != NULL ? new_buffer(&now) : NULL;
    pthread_mutex_lock(&lock);
    asking--;
    pthread_cond_broadcast(&settled);
    return fresh;
}

static void append_locked(uint32_t attachment, struct client *c, const void *record, size_t bytes) {
    if (attachment != 0 && attachment == xs_cupti_attachment() && !has_room(c->current, bytes)) {
        if (c->current != NULL) {
            retire_locked(c);
            pthread_cond_signal(&work);
        }
        struct buffer *fresh = ask_for_buffer_locked(c);
        /* Another thread may have been as quick: then its buffer goes back first. */
        if (fresh != NULL) {
            retire_locked(c);
            c->current = fresh;
        }
    }
    if (attachment == 0 || attachment != xs_cupti_attachment()) {
        /* The attachment is over, and its records with it. */
    } else if (has_room(c->current, bytes)) {
        memcpy(c->current->bytes + c->current->used, record, bytes);
        c->current->used += bytes;
        c->current->records++;
    } else {
        c->dropped++;
    }
}

void xs_cupti_append(uint32_t attachment, const void *record, size_t bytes) {
    const CUpti_ActivityKind kind = ((const CUpti_Activity *)record)->kind;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        if (xs_cupti_client_gets(i, kind))
            append_locked(attachment, &clients[i], record, bytes);
    pthread_mutex_unlock(&lock);
}

XS_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                                     CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
    XS_CUPTI_GLOBAL_CALL();
    if (funcBufferRequested == NULL || funcBufferCompleted == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    clients[XS_CUPTI_GLOBAL_CLIENT].request = funcBufferRequested;
    clients[XS_CUPTI_GLOBAL_CLIENT].complete = funcBufferCompleted;
    start_thread_locked();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle subscriber,
                                                        xs_cupti_requested_v2 requested,
                                                        xs_cupti_completed_v2 completed) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    if (requested == NULL || completed == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    clients[client].request_v2 = requested;
    clients[client].complete_v2 = completed;
    start_thread_locked();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

/* Flushes for all clients, because this function has no form for one subscriber. */
XS_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    XS_CUPTI_CALL();
    pthread_mutex_lock(&lock);
    bool any = false;
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        any |= clients[i].complete != NULL || clients[i].complete_v2 != NULL;
    if (!any) {
        pthread_mutex_unlock(&lock);
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    xs_cupti_flush_check(__func__);
    retire_all_locked((flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0);
    deliver_all_locked();
    while (delivering > 0)
        pthread_cond_wait(&settled, &lock);
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityFlush(CUcontext context, uint32_t streamId, uint32_t flag) {
    XS_CUPTI_CALL();
    (void)context, (void)streamId;
    return cuptiActivityFlushAll(flag);
}

XS_EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t time) {
    XS_CUPTI_CALL();
    pthread_mutex_lock(&lock);
    period_ms = time;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

static CUptiResult take_dropped(int client, size_t *out) {
    if (out == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    *out = clients[client].dropped;
    clients[client].dropped = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId, size_t *out) {
    XS_CUPTI_GLOBAL_CALL();
    (void)context, (void)streamId;
    return take_dropped(XS_CUPTI_GLOBAL_CLIENT, out);
}

XS_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords_v2(CUpti_SubscriberHandle subscriber, CUcontext context,
                                                           uint32_t streamId, size_t *out) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    (void)context, (void)streamId;
    return take_dropped(client, out);
}

static CUptiResult next_record(uint8_t *buffer, size_t valid_bytes, CUpti_Activity **record) {
    if (buffer == NULL || record == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    uint8_t *next = buffer;
    if (*record != NULL) {
        size_t bytes = xs_cupti_record_bytes((*record)->kind);
        if (bytes == 0)
            return CUPTI_ERROR_INVALID_KIND;
        next = (uint8_t *)*record + bytes;
    }
    if (next >= buffer + valid_bytes)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return xs_cupti_record_bytes((*record)->kind) > 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

XS_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes,
                                                 CUpti_Activity **record) {
    XS_CUPTI_GLOBAL_CALL();
    return next_record(buffer, validBufferSizeBytes, record);
}

XS_EXPORT CUptiResult cuptiActivityGetNextRecord_v2(CUpti_SubscriberHandle subscriber, uint8_t *buffer,
                                                    size_t validBufferSizeBytes, CUpti_Activity **record) {
    XS_CUPTI_CLIENT_CALL(client, subscriber);
    (void)client;
    return next_record(buffer, validBufferSizeBytes, record);
}

/* ---- what is queued, and the end ---- */

uint32_t xs_cupti_on_queued(enum xs_sim_activity_kind kind) {
    static const CUpti_ActivityKind kinds[] = {[XS_SIM_MEMCPY] = CUPTI_ACTIVITY_KIND_MEMCPY,
                                               [XS_SIM_MEMCPY_PEER] = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                               [XS_SIM_MEMSET] = CUPTI_ACTIVITY_KIND_MEMSET,
                                               [XS_SIM_KERNEL] = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
    bool wanted = xs_cupti_enabled(kinds[kind]) ||
                  (kind == XS_SIM_KERNEL && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_KERNEL)) ||
                  (kind == XS_SIM_MEMCPY_PEER && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMCPY));
    if (!wanted)
        return 0;
    pthread_mutex_lock(&lock);
    uint32_t attachment = xs_cupti_attachment();
    if (attachment != 0)
        unfinished++;
    pthread_mutex_unlock(&lock);
    return attachment;
}

void xs_cupti_on_ended(uint32_t attachment) {
    pthread_mutex_lock(&lock);
    if (attachment == xs_cupti_attachment())
        unfinished--;
    pthread_mutex_unlock(&lock);
}

static void forget_buffers_locked(struct client *c) {
    while (delivering > 0 || asking > 0)
        pthread_cond_wait(&settled, &lock);
    retire_locked(c);
    if (c->full != NULL) {
        c->last->next = lost; /* kept, so that leak checkers find the client's memory */
        lost = c->full;
    }
    memset(c, 0, sizeof(*c));
}

void xs_cupti_forget_buffers(int client) {
    pthread_mutex_lock(&lock);
    forget_buffers_locked(&clients[client]);
    pthread_mutex_unlock(&lock);
}

void xs_cupti_forget_activity(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        forget_buffers_locked(&clients[i]);
    timestamp = NULL;
    offset_taken_ns = 0;
    period_ms = 0;
    unfinished = 0;
    pthread_mutex_unlock(&lock);
}
