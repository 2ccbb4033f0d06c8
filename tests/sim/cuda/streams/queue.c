/* Stream queues: one lock over all of them, a worker thread for every stream that needs one, and the order that CUDA
 * promises within a stream, across events and around the legacy default stream. */
#include "sim.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static unsigned running; /* operations being executed right now, in all streams */

void xs_queue_lock(void) { pthread_mutex_lock(&lock); }

void xs_queue_unlock(void) { pthread_mutex_unlock(&lock); }

void xs_stream_ref_locked(struct CUstream_st *stream) { stream->refs++; }

/* This function is not inlined, because the compiler would report the second of two calls as a use after the first
 * call's free. */
__attribute__((noinline)) void xs_stream_unref_locked(struct CUstream_st *stream) {
    if (--stream->refs > 0)
        return;
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->done);
    free(stream->capture_tail);
    free(stream->virtual_time.ends);
    free(stream);
}

bool xs_done_locked(const struct CUstream_st *stream, uint64_t sequence) {
    return xs_is_virtual() ? xs_virtual_done_locked(stream, sequence) : stream->completed >= sequence;
}

void xs_depend_locked(struct xs_op *op, struct CUstream_st *stream, uint64_t sequence) {
    if (stream != NULL && xs_is_virtual())
        xs_virtual_depend_locked(op, stream, sequence);
    if (stream == NULL || stream->completed >= sequence)
        return;
    struct xs_dependency *grown = realloc(op->dependencies, (op->dependency_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return;
    op->dependencies = grown;
    op->dependencies[op->dependency_count++] = (struct xs_dependency){stream, sequence};
    xs_stream_ref_locked(stream);
}

static bool ready_locked(const struct xs_op *op) {
    for (size_t i = 0; i < op->dependency_count; i++)
        if (op->dependencies[i].stream->completed < op->dependencies[i].sequence)
            return false;
    return true;
}

/* The legacy stream waits for every blocking stream of its context, and every blocking stream for it. */
static void order_against_legacy_locked(struct CUstream_st *stream, struct xs_op *op) {
    struct CUctx_st *context = stream->context;
    if (stream->non_blocking)
        return;
    if (!stream->is_legacy) {
        if (context->legacy != NULL)
            xs_depend_locked(op, context->legacy, context->legacy->submitted);
        return;
    }
    for (struct CUstream_st *other = context->streams; other != NULL; other = other->next)
        if (other != stream && !other->non_blocking)
            xs_depend_locked(op, other, other->submitted);
}

void xs_run_head_locked(struct CUstream_st *stream) {
    struct xs_op *op = stream->head;
    if (op == NULL)
        return;
    stream->head = op->next;
    if (stream->head == NULL)
        stream->tail = &stream->head;
    stream->running = true;
    running++;
    pthread_mutex_unlock(&lock);
    xs_op_execute(stream, op);
    xs_report_ended(op->attachment);
    pthread_mutex_lock(&lock);
    stream->running = false;
    running--;
    stream->completed = op->sequence;
    if (op->kind == XS_OP_RECORD) {
        struct CUevent_st *event = op->record.event;
        if (op->record.record > event->done_record) {
            event->done_record = op->record.record;
            event->done_ns = op->end_ns;
        }
        xs_event_unref_locked(event);
    }
    for (size_t i = 0; i < op->dependency_count; i++)
        xs_stream_unref_locked(op->dependencies[i].stream);
    pthread_cond_broadcast(&stream->done);
    if (running == 0)
        pthread_cond_broadcast(&idle);
    xs_op_free(op);
}

static void unlink_locked(struct CUstream_st *stream) {
    if (!stream->linked)
        return;
    struct CUstream_st **link = &stream->context->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    stream->linked = false;
    xs_stream_unref_locked(stream);
}

static void *work(void *data) {
    struct CUstream_st *stream = data;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (stream->head == NULL && !stream->closing)
            pthread_cond_wait(&stream->work, &lock);
        if (stream->head == NULL && !stream->running)
            break;
        while (stream->running)
            pthread_cond_wait(&stream->done, &lock);
        struct xs_op *op = stream->head;
        if (op == NULL)
            continue;
        for (size_t i = 0; i < op->dependency_count; i++)
            while (op->dependencies[i].stream->completed < op->dependencies[i].sequence)
                pthread_cond_wait(&op->dependencies[i].stream->done, &lock);
        /* The program is on its way out: start nothing more, its memory may go any moment. */
        while (xs_exiting())
            pthread_cond_wait(&stream->work, &lock);
        if (!stream->running && stream->head == op)
            xs_run_head_locked(stream);
    }
    unlink_locked(stream);
    xs_stream_unref_locked(stream);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Signals are the application's business: its handlers must not find themselves on a thread of ours. */
static void start_worker_locked(struct CUstream_st *stream) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, work, stream) == 0) {
        stream->has_worker = true;
        xs_stream_ref_locked(stream);
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void append_locked(struct CUstream_st *stream, struct xs_op *op) {
    order_against_legacy_locked(stream, op);
    op->sequence = ++stream->submitted;
    op->queued_ns = xs_now_ns();
    if (op->correlation == 0)
        op->correlation = xs_thread()->correlation;
    xs_op_queued(op);
    op->next = NULL;
    *stream->tail = op;
    stream->tail = &op->next;
    if (xs_is_virtual())
        xs_virtual_append_locked(stream, op);
}

void xs_enqueue_locked(struct CUstream_st *stream, struct xs_op *op) {
    append_locked(stream, op);
    if (xs_is_virtual())
        return;
    if (!stream->has_worker)
        start_worker_locked(stream);
    pthread_cond_signal(&stream->work);
}

void xs_wait_locked(struct CUstream_st *stream, uint64_t sequence) {
    if (xs_is_virtual()) {
        xs_virtual_wait_locked(stream, sequence);
        return;
    }
    xs_stream_ref_locked(stream);
    while (stream->completed < sequence)
        pthread_cond_wait(&stream->done, &lock);
    xs_stream_unref_locked(stream);
}

/* A blocking call on an idle stream does the work itself: a thread switch would cost more than most copies. */
static void run_and_wait_locked(struct CUstream_st *stream, struct xs_op *op) {
    bool idle_stream = stream->head == NULL && !stream->running;
    append_locked(stream, op);
    uint64_t sequence = op->sequence;
    if (xs_is_virtual()) {
        xs_virtual_wait_locked(stream, sequence);
        return;
    }
    xs_stream_ref_locked(stream);
    if (idle_stream && ready_locked(op)) {
        xs_run_head_locked(stream);
    } else {
        if (!stream->has_worker)
            start_worker_locked(stream);
        pthread_cond_signal(&stream->work);
    }
    while (stream->completed < sequence)
        pthread_cond_wait(&stream->done, &lock);
    xs_stream_unref_locked(stream);
}

CUresult xs_submit(struct CUstream_st *stream, struct xs_op *op, bool wait) {
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (stream->capture != NULL) {
        result = xs_capture_add_locked(stream, op);
    } else if ((result = xs_capture_implicit_locked(stream)) != CUDA_SUCCESS) {
        xs_op_free(op);
    } else if (wait) {
        run_and_wait_locked(stream, op);
        result = (CUresult)atomic_load(&stream->context->error);
    } else {
        xs_enqueue_locked(stream, op);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void xs_stream_close(struct CUstream_st *stream) {
    pthread_mutex_lock(&lock);
    xs_stream_ref_locked(stream);
    if (xs_is_virtual())
        xs_virtual_finish_locked(stream);
    bool drained = stream->completed == stream->submitted;
    stream->closing = true;
    pthread_cond_broadcast(&stream->work);
    if (drained)
        unlink_locked(stream);
    xs_stream_unref_locked(stream);
    pthread_mutex_unlock(&lock);
}

void xs_context_drain(struct CUctx_st *context) {
    pthread_mutex_lock(&lock);
    for (struct CUstream_st *stream = context->streams; stream != NULL;) {
        if (xs_done_locked(stream, stream->submitted)) {
            stream = stream->next;
            continue;
        }
        xs_wait_locked(stream, stream->submitted);
        stream = context->streams; /* the list may have changed meanwhile */
    }
    pthread_mutex_unlock(&lock);
}

static void drain_on(struct CUctx_st *context, void *data) {
    int device = *(int *)data;
    if (device < 0 || context->device == device)
        xs_context_drain(context);
}

void xs_device_drain(int device) { xs_contexts_each(drain_on, &device); }

void xs_quiesce(uint64_t patience_ns) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t end = (uint64_t)until.tv_sec * 1000000000u + (uint64_t)until.tv_nsec + patience_ns;
    until = (struct timespec){(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
    pthread_mutex_lock(&lock);
    while (running > 0 && pthread_cond_timedwait(&idle, &lock, &until) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&lock);
}
