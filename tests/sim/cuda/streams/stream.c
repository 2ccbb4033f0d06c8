/* Streams: creation, the default ones, synchronisation, and what can be asked of a stream. */
#include "sim.h"

#include <stdlib.h>

static _Atomic uint32_t ids = 6; /* CUPTI numbers start at 7 with the first context's default stream */
static pthread_key_t thread_end;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

struct CUstream_st *xs_stream_open(struct CUctx_st *context, unsigned flags, int priority) {
    struct CUstream_st *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return NULL;
    stream->context = context;
    stream->id = atomic_fetch_add(&ids, 1) + 1;
    stream->flags = flags;
    stream->non_blocking = (flags & CU_STREAM_NON_BLOCKING) != 0;
    stream->priority = priority;
    stream->refs = 1;
    stream->linked = true;
    stream->tail = &stream->head;
    pthread_cond_init(&stream->work, NULL);
    pthread_cond_init(&stream->done, NULL);
    xs_queue_lock();
    stream->next = context->streams;
    context->streams = stream;
    xs_queue_unlock();
    return stream;
}

static struct CUstream_st *find_per_thread(struct CUctx_st *context) {
    struct CUstream_st *stream = context->streams;
    while (stream != NULL && !(stream->per_thread && !stream->closing && pthread_equal(stream->thread, pthread_self())))
        stream = stream->next;
    return stream;
}

static void close_per_thread(struct CUctx_st *context, void *data) {
    (void)data;
    xs_queue_lock();
    struct CUstream_st *stream = find_per_thread(context);
    xs_queue_unlock();
    if (stream != NULL)
        xs_stream_close(stream);
}

static void thread_ended(void *data) {
    if (!xs_forked())
        xs_contexts_each(close_per_thread, data);
}

static void make_key(void) { pthread_key_create(&thread_end, thread_ended); }

struct CUstream_st *xs_stream_default(struct CUctx_st *context, bool per_thread) {
    if (!per_thread)
        return context->legacy;
    xs_queue_lock();
    struct CUstream_st *stream = find_per_thread(context);
    xs_queue_unlock();
    if (stream != NULL)
        return stream;
    pthread_once(&thread_end_once, make_key);
    pthread_setspecific(thread_end, context);
    stream = xs_stream_open(context, CU_STREAM_DEFAULT, 0);
    if (stream != NULL) {
        xs_queue_lock();
        stream->thread = pthread_self();
        stream->per_thread = true;
        xs_queue_unlock();
    }
    return stream;
}

CUresult xs_stream_of(CUstream handle, struct CUstream_st **out) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        bool per_thread = handle == NULL ? xs_thread()->per_thread_default : handle == CU_STREAM_PER_THREAD;
        *out = xs_stream_default(context, per_thread);
        return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!atomic_load(&handle->context->alive))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (handle->closing)
        return CUDA_ERROR_INVALID_HANDLE;
    *out = handle;
    return CUDA_SUCCESS;
}

CUresult xs_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (phStream == NULL || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (priority > 0)
        priority = 0;
    if (priority < -5)
        priority = -5;
    *phStream = xs_stream_open(context, flags, priority);
    if (*phStream == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    xs_report_resource(XS_SIM_STREAM_CREATED, context, *phStream);
    return CUDA_SUCCESS;
}

CUresult xs_cuStreamCreate(CUstream *phStream, unsigned int Flags) {
    return xs_cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult xs_cuStreamDestroy_v2(CUstream hStream) {
    struct CUstream_st *stream;
    if (hStream == NULL || hStream == CU_STREAM_LEGACY || hStream == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    xs_report_resource(XS_SIM_STREAM_DESTROY_STARTING, stream->context, stream);
    xs_capture_abandon(stream);
    xs_stream_close(stream);
    return CUDA_SUCCESS;
}

void xs_report_sync(struct CUstream_st *stream, unsigned type, uint32_t event_id, uint64_t start_ns) {
    if (xs_tools() == NULL || stream == NULL)
        return;
    struct xs_sim_activity activity = {.kind = XS_SIM_SYNC,
                                       .attachment = xs_attachment(),
                                       .start_ns = start_ns,
                                       .end_ns = xs_now_ns(),
                                       .value = type,
                                       .correlation = xs_thread()->correlation,
                                       .context_id = stream->context->id,
                                       .device = (uint32_t)stream->context->device,
                                       .event_id = event_id,
                                       .stream_id = type == 1 || type == 4 ? UINT32_MAX : stream->id};
    xs_report(&activity);
}

/* Waits for everything that a stream has to finish: its own work and, for the legacy stream, the work of the blocking
 * streams. */
static bool finished_locked(struct CUstream_st *stream, struct CUstream_st **unfinished) {
    *unfinished = stream;
    if (!xs_done_locked(stream, stream->submitted))
        return false;
    if (!stream->is_legacy)
        return true;
    for (struct CUstream_st *other = stream->context->streams; other != NULL; other = other->next) {
        *unfinished = other;
        if (!other->non_blocking && !xs_done_locked(other, other->submitted))
            return false;
    }
    return true;
}

CUresult xs_cuStreamSynchronize(CUstream hStream) {
    struct CUstream_st *stream, *unfinished;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        result = xs_capture_check_sync(stream);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t start = xs_now_ns();
    xs_queue_lock();
    while (!finished_locked(stream, &unfinished))
        xs_wait_locked(unfinished, unfinished->submitted);
    xs_queue_unlock();
    xs_report_sync(stream, 3, 0, start);
    return (CUresult)atomic_load(&stream->context->error);
}

CUresult xs_cuStreamQuery(CUstream hStream) {
    struct CUstream_st *stream, *unfinished;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        result = xs_capture_check_sync(stream);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    xs_queue_lock();
    bool finished = finished_locked(stream, &unfinished);
    xs_queue_unlock();
    return finished ? (CUresult)atomic_load(&stream->context->error) : CUDA_ERROR_NOT_READY;
}

CUresult xs_cuStreamGetPriority(CUstream hStream, int *priority) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *priority = stream->priority;
    return result;
}

CUresult xs_cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *flags = stream->flags;
    return result;
}

CUresult xs_cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *streamId = stream->id;
    return result;
}

CUresult xs_cuStreamGetDevice(CUstream hStream, CUdevice *device) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *device = stream->context->device;
    return result;
}

CUresult xs_cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *pctx = stream->context;
    return result;
}

CUresult xs_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
    struct CUstream_st *stream;
    struct xs_range range;
    (void)length, (void)flags;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    xs_map_find(dptr, 0, &range);
    return range.known && range.kind == XS_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult xs_cuStreamCopyAttributes(CUstream dst, CUstream src) {
    struct CUstream_st *to, *from;
    CUresult result = xs_stream_of(dst, &to);
    return result == CUDA_SUCCESS ? xs_stream_of(src, &from) : result;
}

CUresult xs_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    *value_out = (CUstreamAttrValue){0};
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value_out->priority = stream->priority;
    return CUDA_SUCCESS;
}

CUresult xs_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result == CUDA_SUCCESS && attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        stream->priority = value->priority;
    return result;
}

CUresult xs_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (callback == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_CALLBACK);
    if (op != NULL) {
        op->callback.fn = callback;
        op->callback.data = userData;
        op->callback.handle = hStream;
    }
    return xs_submit(stream, op, false);
}

CUresult xs_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (fn == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_HOST);
    if (op != NULL) {
        op->host.fn = fn;
        op->host.data = userData;
    }
    return xs_submit(stream, op, false);
}
