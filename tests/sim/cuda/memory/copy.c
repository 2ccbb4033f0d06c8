/* One-dimensional copies, and the rules about when a copy returns, which the n-dimensional ones share. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

CUresult xs_span_of(uintptr_t address, size_t bytes, struct xs_span *out) {
    struct xs_range range;
    if (!xs_map_find(address, bytes, &range) || (!range.known && (address == 0 || xs_is_device_address(address))))
        return CUDA_ERROR_INVALID_VALUE;
    *out = (struct xs_span){.base = (char *)address, .kind = range.kind, .device = range.device};
    if (range.kind == XS_PINNED || range.kind == XS_REGISTERED)
        out->device = -1;
    return CUDA_SUCCESS;
}

static bool host_side(const struct xs_span *span) {
    return span->kind == XS_PAGEABLE || span->kind == XS_PINNED || span->kind == XS_REGISTERED;
}

/* True if the call must wait for the copy. By CUDA's "API synchronization behavior" this depends more on both memory
 * kinds than on the function's name. */
static bool must_wait(const struct xs_copy *copy, bool staged) {
    bool from_host = host_side(&copy->src), to_host = host_side(&copy->dst);
    if (staged)
        return false;
    if (copy->src.kind == XS_PAGEABLE || copy->dst.kind == XS_PAGEABLE)
        return true;
    if (copy->is_async)
        return false;
    return from_host || to_host || copy->src.kind == XS_MANAGED || copy->dst.kind == XS_MANAGED;
}

static bool stage(struct xs_op *op) {
    const struct xs_copy *copy = &op->copy;
    if (copy->src.kind != XS_PAGEABLE || host_side(&copy->dst) || copy->width > XS_STAGING_BYTES || copy->height > 1 ||
        copy->depth > 1)
        return false;
    op->staging = malloc(copy->width);
    if (op->staging == NULL)
        return false;
    memcpy(op->staging, copy->src.base, copy->width);
    if (xs_is_virtual())
        xs_virtual_stage(copy->width);
    return true;
}

static bool capturing(struct CUstream_st *stream) {
    xs_queue_lock();
    bool result = stream->capture != NULL;
    xs_queue_unlock();
    return result;
}

CUresult xs_submit_copy(CUstream handle, const struct xs_copy *copy, bool is_async) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    bool captured = capturing(stream);
    if (!is_async && (captured || !stream->is_legacy))
        result = captured ? xs_capture_check_sync(stream) : xs_capture_unsafe();
    if (result != CUDA_SUCCESS || copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return result;
    struct xs_op *op = xs_op_new(XS_OP_COPY);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->copy = *copy;
    op->copy.is_async = is_async;
    if (captured)
        return xs_submit(stream, op, false);
    /* A blocking upload first waits for what is queued, whatever its size; only then is the source read. */
    if (!is_async && copy->src.kind == XS_PAGEABLE && !host_side(&copy->dst))
        result = xs_submit(stream, xs_op_new(XS_OP_EMPTY), true);
    if (result != CUDA_SUCCESS) {
        xs_op_free(op);
        return result;
    }
    bool staged = stage(op);
    return xs_submit(stream, op, must_wait(&op->copy, staged));
}

enum side { ANY, HOST, DEVICE };

static CUresult side_of(uintptr_t address, size_t bytes, enum side side, struct xs_span *out) {
    CUresult result = xs_span_of(address, bytes, out);
    if (result == CUDA_SUCCESS && side == DEVICE && out->kind == XS_PAGEABLE)
        result = CUDA_ERROR_INVALID_VALUE;
    return result;
}

static CUresult copy_linear(uintptr_t dst, enum side dst_side, uintptr_t src, enum side src_side, size_t bytes,
                            CUstream stream, bool is_async) {
    struct xs_copy copy = {.width = bytes, .height = 1, .depth = 1, .parts = 1};
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS && bytes > 0)
        result = side_of(dst, bytes, dst_side, &copy.dst);
    if (result == CUDA_SUCCESS && bytes > 0)
        result = side_of(src, bytes, src_side, &copy.src);
    return result == CUDA_SUCCESS ? xs_submit_copy(stream, &copy, is_async) : result;
}

CUresult xs_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
    return copy_linear(dst, ANY, src, ANY, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
    return copy_linear(dst, ANY, src, ANY, ByteCount, hStream, true);
}

CUresult xs_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    return copy_linear(dstDevice, DEVICE, (uintptr_t)srcHost, HOST, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
    return copy_linear(dstDevice, DEVICE, (uintptr_t)srcHost, HOST, ByteCount, hStream, true);
}

CUresult xs_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy_linear((uintptr_t)dstHost, HOST, srcDevice, DEVICE, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
    return copy_linear((uintptr_t)dstHost, HOST, srcDevice, DEVICE, ByteCount, hStream, true);
}

CUresult xs_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy_linear(dstDevice, DEVICE, srcDevice, DEVICE, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
    return copy_linear(dstDevice, DEVICE, srcDevice, DEVICE, ByteCount, hStream, true);
}

static CUresult copy_peer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes,
                          CUstream stream, bool is_async) {
    if (!xs_context_valid(dst_context) || !xs_context_valid(src_context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return copy_linear(dst, DEVICE, src, DEVICE, bytes, stream, is_async);
}

CUresult xs_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                         size_t ByteCount) {
    return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                              size_t ByteCount, CUstream hStream) {
    return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream, true);
}
