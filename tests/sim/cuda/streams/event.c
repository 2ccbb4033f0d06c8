/* Events: points in a stream's queue that can be waited for, asked about and timed. */
#include "sim.h"

#include <stdlib.h>

static _Atomic uint32_t ids;

void xs_event_ref_locked(struct CUevent_st *event) { event->refs++; }

void xs_event_unref_locked(struct CUevent_st *event) {
    if (--event->refs > 0)
        return;
    if (event->stream != NULL)
        xs_stream_unref_locked(event->stream);
    if (event->capture != NULL)
        xs_capture_unref_locked(event->capture);
    free(event->capture_nodes);
    xs_handle_free(event);
}

CUresult xs_cuEventCreate(CUevent *phEvent, unsigned int Flags) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (phEvent == NULL || (Flags & ~known) != 0 ||
        (Flags & CU_EVENT_INTERPROCESS && !(Flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    struct CUevent_st *event = xs_handle_new(sizeof(*event));
    if (event == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->context = context;
    event->id = atomic_fetch_add(&ids, 1) + 1;
    event->flags = Flags;
    event->refs = 1;
    *phEvent = event;
    return CUDA_SUCCESS;
}

CUresult xs_cuEventDestroy_v2(CUevent hEvent) {
    if (hEvent == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    xs_queue_lock();
    xs_event_unref_locked(hEvent);
    xs_queue_unlock();
    return CUDA_SUCCESS;
}

/* Makes the event stand for op, which is about to be queued on stream. */
CUresult xs_event_record_locked(struct CUevent_st *event, struct CUstream_st *stream, struct xs_op *op) {
    if (event->stream != NULL)
        xs_stream_unref_locked(event->stream);
    if (event->capture != NULL)
        xs_capture_unref_locked(event->capture);
    event->capture = NULL;
    event->stream = stream;
    xs_stream_ref_locked(stream);
    xs_event_ref_locked(event);
    op->record.event = event;
    op->record.record = ++event->record;
    xs_enqueue_locked(stream, op);
    event->sequence = op->sequence;
    return CUDA_SUCCESS;
}

CUresult xs_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (hEvent == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_RECORD);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    xs_queue_lock();
    if (stream->capture != NULL && flags & CU_EVENT_RECORD_EXTERNAL) {
        op->record.event = hEvent;
        result = xs_capture_add_locked(stream, op);
    } else if (stream->capture != NULL) {
        xs_op_free(op);
        xs_capture_record_event_locked(stream, hEvent);
    } else if ((result = xs_capture_implicit_locked(stream)) != CUDA_SUCCESS) {
        xs_op_free(op);
    } else {
        result = xs_event_record_locked(hEvent, stream, op);
    }
    xs_queue_unlock();
    return result;
}

CUresult xs_cuEventRecord(CUevent hEvent, CUstream hStream) {
    return xs_cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

CUresult xs_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (hEvent == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((Flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_WAIT);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t start = xs_now_ns();
    xs_queue_lock();
    if (Flags & CU_EVENT_WAIT_EXTERNAL && stream->capture != NULL) {
        op->record.event = hEvent;
        result = xs_capture_add_locked(stream, op);
    } else if (hEvent->capture != NULL || stream->capture != NULL) {
        xs_op_free(op);
        result = xs_capture_wait_event_locked(stream, hEvent);
    } else {
        xs_depend_locked(op, hEvent->stream, hEvent->sequence);
        xs_enqueue_locked(stream, op);
    }
    uint32_t id = hEvent->id;
    xs_queue_unlock();
    if (result == CUDA_SUCCESS)
        xs_report_sync(stream, 2, id, start);
    return result;
}

/* Captured events have no time and no state; asking may also disturb a capture elsewhere. */
static CUresult usable(CUevent event, bool query) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (event == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    xs_queue_lock();
    bool captured = event->capture != NULL, ended = captured && event->capture->ended;
    if (captured)
        event->capture->invalidated = true;
    xs_queue_unlock();
    if (captured)
        return ended ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_CAPTURED_EVENT;
    return query ? xs_capture_unsafe() : CUDA_SUCCESS;
}

CUresult xs_cuEventQuery(CUevent hEvent) {
    CUresult result = usable(hEvent, true);
    if (result != CUDA_SUCCESS)
        return result;
    xs_queue_lock();
    bool done = hEvent->stream == NULL || xs_done_locked(hEvent->stream, hEvent->sequence);
    xs_queue_unlock();
    return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult xs_cuEventSynchronize(CUevent hEvent) {
    CUresult result = usable(hEvent, true);
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t start = xs_now_ns();
    xs_queue_lock();
    struct CUstream_st *stream = hEvent->stream;
    if (stream != NULL)
        xs_wait_locked(stream, hEvent->sequence);
    xs_queue_unlock();
    xs_report_sync(xs_current()->legacy, 1, hEvent->id, start);
    return (CUresult)atomic_load(&hEvent->context->error);
}

CUresult xs_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    CUresult result = usable(hStart, false);
    if (result == CUDA_SUCCESS && hStart->record == 0)
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS)
        result = usable(hEnd, false);
    if (result != CUDA_SUCCESS)
        return result;
    if (pMilliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if ((hStart->flags | hEnd->flags) & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_HANDLE;
    xs_queue_lock();
    if (hStart->record == 0 || hEnd->record == 0)
        result = CUDA_ERROR_INVALID_HANDLE;
    else if (hStart->done_record < hStart->record || hEnd->done_record < hEnd->record)
        result = CUDA_ERROR_NOT_READY;
    else
        *pMilliseconds = (float)((double)(int64_t)(hEnd->done_ns - hStart->done_ns) / 1e6);
    xs_queue_unlock();
    return result;
}

CUresult xs_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    return xs_cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}
