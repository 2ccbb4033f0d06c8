/* The vocabulary of the entry-point table: what its rows say, as statements over the event `e`, the result `r` and the
 * scratch `range` of a wrapper (intercept/wrappers.c). */
#ifndef XFERSPY_PRELOAD_DECODE_H
#define XFERSPY_PRELOAD_DECODE_H

#include "preload/driver/driver_api.h"

#include "preload/capture/arguments.h"
#include "preload/core/memory_map.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti.h"
#include "preload/driver/captures.h"
#include "preload/driver/context.h"
#include "preload/fingerprint/fingerprint.h"

enum xs_default_stream { XS_LEGACY, XS_PER_THREAD };

/* What a parameter's type promises about the memory behind it; ANY leaves it to the address. */
enum xs_hint { XS_HINT_ANY, XS_HINT_HOST, XS_HINT_DEVICE, XS_HINT_ARRAY };

#define XS_NOTHING (void)0
#define XS_AT(pointer, field) ((pointer) ? (pointer)->field : 0)
#define XS_WORD(x) ((uint64_t)(uintptr_t)(x))

/* Which stream. A blocking call uses the default stream of its row. */
#define XS_BLOCKING xs_decode_stream(e, NULL, per_thread)
#define XS_ON(stream) xs_decode_stream(e, stream, per_thread)
#define XS_ASYNC(stream) (xs_decode_stream(e, stream, per_thread), e->flags |= XS_FLAG_ASYNC, xs_decode_captured(e))

/* Copies and memsets. */
#define XS_COPY(dst_hint, dst, src_hint, src, bytes)                                                                   \
    xs_decode_copy(e, XS_HINT_##dst_hint, XS_WORD(dst), XS_HINT_##src_hint, XS_WORD(src), bytes)
#define XS_PEER(dst_ctx, src_ctx) xs_decode_peer(e, dst_ctx, src_ctx)
#define XS_COPY_2D(copy) xs_decode_copy_2d(e, copy)
#define XS_COPY_3D(copy) xs_decode_copy_3d(e, copy)
#define XS_COPY_3D_PEER(copy) xs_decode_copy_3d_peer(e, copy)
#define XS_BATCH(dsts, srcs, sizes, count) (e = xs_decode_batch(e, r, dsts, srcs, sizes, count))
#define XS_BATCH_3D(ops, count) (e = xs_decode_batch_3d(e, r, ops, count))
#define XS_MEMSET(dst, value, element, width, height, pitch)                                                           \
    xs_decode_memset(e, dst, value, element, width, height, pitch)

/* Allocations: ASK notes the request (a failed one is recorded as such), the others the outcome. */
#define XS_ASK(bytes) xs_decode_ask(e, bytes)
#define XS_ALLOCATED(out, bytes, kind, origin)                                                                         \
    (void)(r == CUDA_SUCCESS && (xs_decode_allocated(e, XS_WORD(*(out)), bytes, XS_MEM_##kind, XS_ORIGIN_##origin), 1))
#define XS_PAGE_LOCKED(p, bytes, kind, slow)                                                                           \
    (void)(r == CUDA_SUCCESS && (xs_decode_page_locked(e, XS_WORD(p), bytes, XS_MEM_##kind, (slow) != 0), 1))
#define XS_MAPPED(p, bytes, handle) (void)(r == CUDA_SUCCESS && (xs_decode_mapped(e, p, bytes, handle), 1))
#define XS_LOOKED_UP(out, bytes, kind) (e = xs_decode_looked_up(e, r, out, bytes, XS_MEM_##kind))
#define XS_ARRAY_CREATED(out, width, height, depth, format, channels)                                                  \
    (void)(r == CUDA_SUCCESS &&                                                                                        \
           (xs_decode_array(e, XS_WORD(*(out)), width, height, depth, (unsigned)(format), channels), 1))
#define XS_FREE(p) xs_decode_free(e, XS_WORD(p), &range)
#define XS_FREED (void)(r != CUDA_SUCCESS && (xs_decode_free_failed(&range), 1))
#define XS_BYTES_OF_FREE(p, n) (e->kind = XS_EVENT_FREE, e->alloc.address = (p), e->alloc.bytes = (n))
#define XS_UNMAPPED(p, bytes) (e = xs_decode_unmapped(e, r, p, bytes))

/* Launches, synchronisation, and everything else. */
#define XS_LAUNCH(launch_kind, f, gx, gy, gz, bx, by, bz, shared)                                                      \
    (e->kind = XS_EVENT_LAUNCH, e->launch.kind = XS_LAUNCH_##launch_kind, e->launch.function = XS_WORD(f),             \
     e->launch.grid[0] = (gx), e->launch.grid[1] = (gy), e->launch.grid[2] = (gz), e->launch.block[0] = (bx),          \
     e->launch.block[1] = (by), e->launch.block[2] = (bz), e->launch.shared_bytes = (shared), xs_decode_context(e))
/* What the arguments of a launch point to. */
#define XS_ARGUMENTS(f, params, extra) (e = xs_decode_arguments(e, r, f, params, extra))
/* Handles of functions go with a module, and another one may get them. */
#define XS_FUNCTIONS_GOING xs_arguments_functions_go()
#define XS_VARIABLES_GONE (e = xs_decode_variables_gone(e, r), xs_fingerprint_written())
#define XS_SYNC(sync_scope, what)                                                                                      \
    (e->kind = XS_EVENT_SYNC, e->sync.scope = XS_SYNC_##sync_scope, e->sync.object = XS_WORD(what),                    \
     xs_decode_context(e))
#define XS_API (e->kind = XS_EVENT_API, xs_decode_context(e))
#define XS_OBJECT(x) (e->api.object = XS_WORD(x))
#define XS_RESULT(x) (void)(r == CUDA_SUCCESS && (e->api.object = XS_WORD(x), 1))
#define XS_BYTES(p, n) (e->api.address = (p), e->api.bytes = (n))
#define XS_BYTES_DONE(p, n) (void)(r == CUDA_SUCCESS && (XS_BYTES(p, n), 1))
#define XS_ARGUMENT(x) (e->api.argument = XS_WORD(x))

/* Capture and contexts. */
#define XS_CAPTURE_BEGUN (void)(r == CUDA_SUCCESS && (xs_captures_change(1), 1))
/* A capture that was invalidated ends with an error. */
#define XS_CAPTURE_ENDED                                                                                               \
    (void)((r == CUDA_SUCCESS || r == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||                                         \
            r == CUDA_ERROR_STREAM_CAPTURE_UNJOINED) &&                                                                \
           (xs_captures_change(-1), 1))
#define XS_CONTEXT_CREATED(out, device)                                                                                \
    (void)(r == CUDA_SUCCESS && (xs_context_learn(*(out), device, false), e->api.object = XS_WORD(*(out)), 1))
#define XS_PRIMARY_RETAINED(out, device)                                                                               \
    (void)(r == CUDA_SUCCESS && (xs_context_learn(*(out), device, true), e->api.object = XS_WORD(*(out)), 1))
/* The context may be destroyed, and CUPTI's records of it are wanted before. */
#define XS_CONTEXT_GOING (xs_device_wait_all(NULL, XS_CONTEXT_PATIENCE_MS), xs_cupti_flush(false), XS_FUNCTIONS_GOING)
#define XS_CONTEXT_PATIENCE_MS 50
#define XS_CONTEXT_GONE(context) (e = xs_decode_context_gone(e, r, context))
/* It may live on, or be destroyed and its handle come back. */
#define XS_CONTEXT_DETACHED(context) (void)(r == CUDA_SUCCESS && (xs_device_context_gone(context), 1))
#define XS_PRIMARY_RELEASED(device) (e = xs_decode_primary_released(e, r, device))
#define XS_PRIMARY_RESET(device) (e = xs_decode_context_gone(e, r, xs_context_primary(device)))

XS_HOT void xs_decode_context(struct xs_event *e) {
    int8_t device;
    e->context = XS_WORD(xs_context_current(&device));
}

XS_HOT void xs_decode_stream(struct xs_event *e, CUstream stream, unsigned per_thread) {
    e->stream = stream == CU_STREAM_LEGACY ? 0 : XS_WORD(stream);
    e->flags |= XS_FLAG_HAS_STREAM;
    if (stream == CU_STREAM_PER_THREAD || (stream == NULL && per_thread)) {
        e->stream = XS_WORD(CU_STREAM_PER_THREAD);
        e->flags |= XS_FLAG_PER_THREAD;
    }
}

/* While some stream of the process captures, asks whether this one does. */
void xs_decode_captured_slow(struct xs_event *e);
XS_HOT void xs_decode_captured(struct xs_event *e) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_captures, memory_order_relaxed) > 0)) {
        xs_decode_captured_slow(e);
    }
}

void xs_decode_copy(struct xs_event *e, enum xs_hint dst_hint, uint64_t dst, enum xs_hint src_hint, uint64_t src,
                    uint64_t bytes);
void xs_decode_peer(struct xs_event *e, CUcontext dst, CUcontext src);
void xs_decode_copy_2d(struct xs_event *e, const CUDA_MEMCPY2D *copy);
void xs_decode_copy_3d(struct xs_event *e, const CUDA_MEMCPY3D *copy);
void xs_decode_copy_3d_peer(struct xs_event *e, const CUDA_MEMCPY3D_PEER *copy);
void xs_decode_memset(struct xs_event *e, CUdeviceptr dst, uint32_t value, unsigned element, size_t width,
                      size_t height, size_t pitch);

/* These may commit several events; they return the last, which xs_end commits, or NULL where there is none. */
struct xs_event *xs_decode_batch(struct xs_event *e, CUresult r, const CUdeviceptr *dsts, const CUdeviceptr *srcs,
                                 const size_t *sizes, size_t count);
struct xs_event *xs_decode_batch_3d(struct xs_event *e, CUresult r, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t count);
struct xs_event *xs_decode_unmapped(struct xs_event *e, CUresult r, CUdeviceptr p, size_t bytes);
struct xs_event *xs_decode_looked_up(struct xs_event *e, CUresult r, const CUdeviceptr *out, const size_t *bytes,
                                     enum xs_memory_kind kind);
struct xs_event *xs_decode_variables_gone(struct xs_event *e, CUresult r);
struct xs_event *xs_decode_context_gone(struct xs_event *e, CUresult r, CUcontext context);
struct xs_event *xs_decode_primary_released(struct xs_event *e, CUresult r, CUdevice device);

/* A launch whose attributes say so is a cooperative one. */
void xs_decode_attributes(struct xs_event *e, const CUlaunchConfig *config);

void xs_decode_ask(struct xs_event *e, size_t bytes);
void xs_decode_allocated(struct xs_event *e, uint64_t address, uint64_t bytes, enum xs_memory_kind kind,
                         enum xs_origin origin);
void xs_decode_page_locked(struct xs_event *e, uint64_t address, uint64_t bytes, enum xs_memory_kind kind,
                           bool slow_to_read);
void xs_decode_mapped(struct xs_event *e, CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle);
void xs_decode_array(struct xs_event *e, uint64_t handle, size_t width, size_t height, size_t depth, unsigned format,
                     unsigned channels);
void xs_decode_free(struct xs_event *e, uint64_t address, struct xs_range *range);
void xs_decode_free_failed(const struct xs_range *range);

/* Small things the rows compute. */
size_t xs_range_bytes(CUdeviceptr p); /* size of the driver's allocation that starts there, 0: unknown */
size_t xs_sum(const size_t *sizes, size_t count);
int64_t xs_location(const CUmemLocation *location); /* device ordinal, -1: the host, -2 - node: a NUMA node */

#endif
