/* The rows of the entry-point table (driver/entry_points.def) call these functions. `call` is the call that a wrapper
 * (wrappers.c) is handling.
 *
 * All functions are inlined into the wrappers, so call->event stays in a register even if a function changes it. The
 * statements that a row runs before the real call see the parameters as the application passed them; the statements
 * after the real call can also use call->result. All statements run on the application's thread while its guard is
 * raised (xs_begin), and cannot fail. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_CAPTURE_CALL_H
#define XFERSPY_PRELOAD_INTERCEPT_CAPTURE_CALL_H

#include "preload/driver/driver_api.h"

#include "preload/capture/arguments.h"
#include "preload/capture/decode.h"
#include "preload/capture/described_call.h"
#include "preload/cupti/cupti.h"
#include "preload/driver/stream_captures.h"
#include "preload/fingerprint/fingerprint.h"

/* ---- which stream ---- */

XS_HOT void xs_on(struct xs_call *call, CUstream stream) {
    struct xs_event *e = call->event;
    xs_describe_stream(call, stream);
    e->stream = stream == CU_STREAM_LEGACY ? 0 : XS_WORD(stream);
    e->flags |= XS_FLAG_HAS_STREAM;
    if (call->is_per_thread) {
        e->stream = XS_WORD(CU_STREAM_PER_THREAD);
        e->flags |= XS_FLAG_PER_THREAD;
    }
}

/* Used for a call without a stream parameter, which works in the default stream. */
XS_HOT void xs_blocking(struct xs_call *call) {
    xs_on(call, NULL);
    call->is_blocking = true;
}

XS_HOT void xs_async(struct xs_call *call, CUstream stream) {
    xs_on(call, stream);
    call->event->flags |= XS_FLAG_ASYNC;
    xs_decode_captured(call->event);
}

/* ---- copies and memsets ---- */

XS_HOT void xs_copy(struct xs_call *call, struct xs_operand dst, struct xs_operand src, size_t bytes) {
    xs_describe_copy(call, dst, src, bytes);
    xs_decode_copy(call->event, dst.hint, dst.address, src.hint, src.address, bytes);
}
XS_HOT void xs_peer(struct xs_call *call, CUcontext dst, CUcontext src) { xs_decode_peer(call->event, dst, src); }
XS_HOT void xs_copy_2d(struct xs_call *call, const CUDA_MEMCPY2D *copy) { xs_decode_copy_2d(call->event, copy); }
XS_HOT void xs_copy_3d(struct xs_call *call, const CUDA_MEMCPY3D *copy) { xs_decode_copy_3d(call->event, copy); }
XS_HOT void xs_copy_3d_op(struct xs_call *call, const CUDA_MEMCPY3D_BATCH_OP *op) {
    xs_decode_copy_3d_op(call->event, op);
}
XS_HOT void xs_copy_3d_peer(struct xs_call *call, const CUDA_MEMCPY3D_PEER *copy) {
    xs_decode_copy_3d_peer(call->event, copy);
}
XS_HOT void xs_memset(struct xs_call *call, CUdeviceptr dst, uint32_t value, unsigned element, size_t width,
                      size_t height, size_t pitch) {
    xs_decode_memset(call->event, dst, value, element, width, height, pitch);
}

/* Records one event for each copy of a batch. Used after the call, because the arrays are known to be valid only if the
 * call succeeded. */
XS_HOT void xs_batch(struct xs_call *call, const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                     size_t count) {
    call->event = xs_decode_batch(call->event, call->result, dsts, srcs, sizes, count);
}
XS_HOT void xs_batch_3d(struct xs_call *call, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t count) {
    call->event = xs_decode_batch_3d(call->event, call->result, ops, count);
}

/* ---- allocations and frees ---- */

/* Used before the call: records the requested size, so that it is known even if the call fails. */
XS_HOT void xs_ask(struct xs_call *call, size_t bytes) { xs_decode_ask(call->event, bytes); }

/* Used after a successful call: records the result. */
XS_HOT void xs_allocated(struct xs_call *call, CUdeviceptr p, uint64_t bytes, enum xs_memory_kind kind,
                         enum xs_origin origin) {
    xs_decode_allocated(call->event, p, bytes, kind, origin);
}
XS_HOT void xs_page_locked(struct xs_call *call, const void *p, size_t bytes, enum xs_memory_kind kind, bool slow) {
    xs_decode_page_locked(call->event, XS_WORD(p), bytes, kind, slow);
}
XS_HOT void xs_mapped(struct xs_call *call, CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle) {
    xs_decode_mapped(call->event, p, bytes, handle);
}
XS_HOT void xs_array_created(struct xs_call *call, const void *handle, size_t width, size_t height, size_t depth,
                             CUarray_format format, unsigned channels) {
    xs_decode_array(call->event, XS_WORD(handle), width, height, depth, (unsigned)format, channels);
}

/* Used after the call, successful or not: records the address of a variable. */
XS_HOT void xs_looked_up(struct xs_call *call, const CUdeviceptr *out, const size_t *bytes, enum xs_memory_kind kind) {
    call->event = xs_decode_looked_up(call->event, call->result, out, bytes, kind);
}

/* xs_free is used before the call. It moves the allocation from the map to *range, because another thread may be given
 * the address as soon as the memory is free. xs_freed is used after the call, and puts the allocation back into the map
 * if the call failed. */
XS_HOT void xs_free(struct xs_call *call, uint64_t address, struct xs_memory_range *range) {
    xs_decode_free(call->event, address, range);
}
XS_HOT void xs_freed(const struct xs_call *call, const struct xs_memory_range *range) {
    if (!xs_succeeded(call))
        xs_decode_free_failed(range);
}

/* xs_unmap is used before a call that ends one or several mappings, and xs_unmapped after this call. */
XS_HOT void xs_unmap(struct xs_call *call, CUdeviceptr p, size_t bytes) {
    call->event->kind = XS_EVENT_FREE;
    call->event->alloc.address = p;
    call->event->alloc.bytes = bytes;
}
XS_HOT void xs_unmapped(struct xs_call *call, CUdeviceptr p, size_t bytes) {
    call->event = xs_decode_unmapped(call->event, call->result, p, bytes);
}

/* ---- launches and waits ---- */

XS_HOT void xs_launch(struct xs_call *call, enum xs_launch_kind kind, uint64_t function, unsigned gx, unsigned gy,
                      unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes) {
    struct xs_event *e = call->event;
    e->kind = XS_EVENT_LAUNCH;
    e->launch.kind = (uint8_t)kind;
    e->launch.function = function;
    e->launch.grid[0] = gx;
    e->launch.grid[1] = gy;
    e->launch.grid[2] = gz;
    e->launch.block[0] = bx;
    e->launch.block[1] = by;
    e->launch.block[2] = bz;
    e->launch.shared_bytes = shared_bytes;
    xs_decode_context(e);
}
XS_HOT void xs_attributes(struct xs_call *call, const CUlaunchConfig *config) {
    xs_decode_attributes(call->event, config);
}

/* Used after the call: records the allocations to which the arguments point. */
XS_HOT void xs_arguments(struct xs_call *call, CUfunction function, void **params, void **extra) {
    call->event = xs_decode_arguments(call->event, call->result, function, params, extra);
}

XS_HOT void xs_sync(struct xs_call *call, enum xs_sync_scope scope, const void *object) {
    struct xs_event *e = call->event;
    e->kind = XS_EVENT_SYNC;
    e->sync.scope = (uint8_t)scope;
    e->sync.object = XS_WORD(object);
    xs_decode_context(e);
}

/* Used after a call that is not recorded: discards the event. */
XS_HOT void xs_not_recorded(struct xs_call *call) { call->event = NULL; }

/* ---- other calls, and their fields ---- */

XS_HOT void xs_api(struct xs_call *call) {
    call->event->kind = XS_EVENT_API;
    xs_decode_context(call->event);
}
XS_HOT void xs_object(struct xs_call *call, uint64_t object) { call->event->api.object = object; }
XS_HOT void xs_argument(struct xs_call *call, uint64_t argument) { call->event->api.argument = argument; }
XS_HOT void xs_bytes(struct xs_call *call, uint64_t address, uint64_t bytes) {
    call->event->api.address = address;
    call->event->api.bytes = bytes;
}

/* ---- stream capture ---- */

XS_HOT uint32_t xs_capturing_thread(const struct xs_event *e) {
    return e->flags & XS_FLAG_PER_THREAD ? xs_thread.id : 0;
}
XS_HOT void xs_capture_begun(const struct xs_call *call) {
    if (xs_succeeded(call)) {
        const struct xs_event *e = call->event;
        xs_captures_begin(e->stream, xs_capturing_thread(e), e->context);
    }
}
XS_HOT void xs_capture_ended(const struct xs_call *call) {
    if (xs_has_ended_capture(call))
        xs_captures_end(call->event->stream, xs_capturing_thread(call->event));
}
/* Used after the call. If the call succeeded, the work that is captured in this stream may run at any time later, and
 * may write device memory without a call that xferspy sees. */
XS_HOT void xs_runs_elsewhere(const struct xs_call *call) {
    if (xs_succeeded(call)) {
        xs_contents_unknown_from_here(XS_CONTENTS_UNKNOWN_FOR_GOOD);
        xs_fingerprint_never_holds();
    }
}
/* xs_stream_going is used before a stream is destroyed. It ends the stream's capture, because another thread may be
 * given the same handle as soon as the stream is destroyed. xs_stream_gone is used after the call, and restores the
 * capture if the call failed. */
XS_HOT void xs_stream_going(struct xs_call *call) {
    call->ends_capture = XS_UNLIKELY(atomic_load_explicit(&xs_captures, memory_order_relaxed) > 0) &&
                         xs_captures_end(call->event->stream, 0);
}
XS_HOT void xs_stream_gone(const struct xs_call *call) {
    if (XS_UNLIKELY(call->ends_capture) && !xs_succeeded(call))
        xs_captures_begin(call->event->stream, 0, call->event->context);
}

/* ---- modules and contexts ---- */

/* Used before a module is unloaded or a context is destroyed. Forgets what is known about function handles, because
 * other functions may get the same handles afterwards. */
XS_HOT void xs_functions_go(void) { xs_arguments_functions_go(); }

/* Used after a module was unloaded. */
XS_HOT void xs_variables_gone(struct xs_call *call) {
    call->event = xs_decode_variables_gone(call->event, call->result);
    xs_fingerprint_written();
}

XS_HOT void xs_context_made(struct xs_call *call, CUcontext context, CUdevice device, bool primary) {
    xs_context_learn(context, device, primary);
    xs_object(call, XS_WORD(context));
}

/* Used before a call that may destroy a context: waits for the results of the fingerprint kernel and takes the records
 * of CUPTI that are still missing. */
#define XS_CONTEXT_PATIENCE_MS 50
XS_HOT void xs_context_going(void) {
    xs_device_wait_all(NULL, XS_CONTEXT_PATIENCE_MS);
    xs_cupti_flush(false);
    xs_functions_go();
}

/* Used after a call that may destroy a context. */
XS_HOT void xs_context_gone(struct xs_call *call, CUcontext context) {
    call->event = xs_decode_context_gone(call->event, call->result, context);
}
XS_HOT void xs_primary_released(struct xs_call *call, CUdevice device) {
    call->event = xs_decode_primary_released(call->event, call->result, device);
}
/* Used after cuCtxDetach. The context may have been destroyed, and its handle may be reused, so the context's
 * fingerprint data are no longer used. */
XS_HOT void xs_context_detached(const struct xs_call *call, CUcontext context) {
    if (xs_succeeded(call))
        xs_device_context_gone(context);
}

#endif
