/* Linear copies, symbol copies, batches and memory sets: which driver call each becomes is what a profiler sees, so it
 * follows the real runtime: by direction where one is given, cuMemcpy where it is inferred. */
#include "cudart.h"

static cudaError_t copy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    TRY(xs_rt_ready());
    if (count == 0)
        return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return xs_rt_error(DRV(cuMemcpyHtoD)((CUdeviceptr)dst, src, count));
    case cudaMemcpyDeviceToHost:
        return xs_rt_error(DRV(cuMemcpyDtoH)(dst, (CUdeviceptr)src, count));
    case cudaMemcpyDeviceToDevice:
        return xs_rt_error(DRV(cuMemcpyDtoD)((CUdeviceptr)dst, (CUdeviceptr)src, count));
    case cudaMemcpyHostToHost:
        return xs_rt_error(DRV(cuMemcpy2DUnaligned)(&(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                                                     .srcHost = src,
                                                                     .srcPitch = count,
                                                                     .dstMemoryType = CU_MEMORYTYPE_HOST,
                                                                     .dstHost = dst,
                                                                     .dstPitch = count,
                                                                     .WidthInBytes = count,
                                                                     .Height = 1}));
    case cudaMemcpyDefault:
        return xs_rt_error(DRV(cuMemcpy)((CUdeviceptr)dst, (CUdeviceptr)src, count));
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

static cudaError_t copy_async(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
    TRY(xs_rt_ready());
    if (count == 0)
        return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return xs_rt_error(DRV(cuMemcpyHtoDAsync)((CUdeviceptr)dst, src, count, stream));
    case cudaMemcpyDeviceToHost:
        return xs_rt_error(DRV(cuMemcpyDtoHAsync)(dst, (CUdeviceptr)src, count, stream));
    case cudaMemcpyDeviceToDevice:
        return xs_rt_error(DRV(cuMemcpyDtoDAsync)((CUdeviceptr)dst, (CUdeviceptr)src, count, stream));
    case cudaMemcpyHostToHost:
        return xs_rt_error(DRV(cuMemcpy2DAsync)(&(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                                                 .srcHost = src,
                                                                 .srcPitch = count,
                                                                 .dstMemoryType = CU_MEMORYTYPE_HOST,
                                                                 .dstHost = dst,
                                                                 .dstPitch = count,
                                                                 .WidthInBytes = count,
                                                                 .Height = 1},
                                                stream));
    case cudaMemcpyDefault:
        return xs_rt_error(DRV(cuMemcpyAsync)((CUdeviceptr)dst, (CUdeviceptr)src, count, stream));
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

RT_PTDS(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), (dst, src, count, kind)) {
    return copy(dst, src, count, kind);
}

RT_PTSZ(cudaMemcpyAsync, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, src, count, kind, stream)) {
    return copy_async(dst, src, count, kind, stream);
}

/* ---- symbols ---- */

static cudaError_t symbol_part(const void *symbol, size_t offset, size_t count, char **out) {
    CUdeviceptr address;
    size_t bytes;
    TRY(xs_rt_variable(symbol, &address, &bytes));
    if (offset > bytes || count > bytes - offset)
        return cudaErrorInvalidValue;
    *out = (char *)address + offset;
    return cudaSuccess;
}

RT_PTDS(cudaMemcpyToSymbol,
        (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind),
        (symbol, src, count, offset, kind)) {
    char *part;
    TRY(symbol_part(symbol, offset, count, &part));
    return copy(part, src, count, kind);
}

RT_PTDS(cudaMemcpyFromSymbol, (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
        (dst, symbol, count, offset, kind)) {
    char *part;
    TRY(symbol_part(symbol, offset, count, &part));
    return copy(dst, part, count, kind);
}

RT_PTSZ(cudaMemcpyToSymbolAsync,
        (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind,
         cudaStream_t stream),
        (symbol, src, count, offset, kind, stream)) {
    char *part;
    TRY(symbol_part(symbol, offset, count, &part));
    return copy_async(part, src, count, kind, stream);
}

RT_PTSZ(cudaMemcpyFromSymbolAsync,
        (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, symbol, count, offset, kind, stream)) {
    char *part;
    TRY(symbol_part(symbol, offset, count, &part));
    return copy_async(dst, part, count, kind, stream);
}

/* ---- peers ---- */

RT(cudaMemcpyPeer, (void *dst, int dstDevice, const void *src, int srcDevice, size_t count),
   (dst, dstDevice, src, srcDevice, count)) {
    CUcontext to, from;
    TRY(xs_rt_ready());
    TRY(xs_rt_context_of(dstDevice, &to));
    TRY(xs_rt_context_of(srcDevice, &from));
    return xs_rt_error(DRV(cuMemcpyPeer)((CUdeviceptr)dst, to, (CUdeviceptr)src, from, count));
}

RT(cudaMemcpyPeerAsync, (void *dst, int dstDevice, const void *src, int srcDevice, size_t count, cudaStream_t stream),
   (dst, dstDevice, src, srcDevice, count, stream)) {
    CUcontext to, from;
    TRY(xs_rt_ready());
    TRY(xs_rt_context_of(dstDevice, &to));
    TRY(xs_rt_context_of(srcDevice, &from));
    return xs_rt_error(DRV(cuMemcpyPeerAsync)((CUdeviceptr)dst, to, (CUdeviceptr)src, from, count, stream));
}

/* ---- batches ---- */

RT_PTSZ(cudaMemcpyBatchAsync,
        (void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
         struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream),
        (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream))
PASS_BODY(DRV(cuMemcpyBatchAsync)((CUdeviceptr *)(void *)dsts, (CUdeviceptr *)(void *)srcs, (size_t *)sizes, count,
                                  (CUmemcpyAttributes *)attrs, attrsIdxs, numAttrs, stream))

/* Both structures are alike, member for member. */
_Static_assert(sizeof(struct cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP), "batch operations differ");

RT_PTSZ(cudaMemcpy3DBatchAsync,
        (size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags, cudaStream_t stream),
        (numOps, opList, flags, stream))
PASS_BODY(DRV(cuMemcpy3DBatchAsync)(numOps, (CUDA_MEMCPY3D_BATCH_OP *)(void *)opList, flags, stream))

/* ---- memory sets ---- */

RT_PTDS(cudaMemset, (void *devPtr, int value, size_t count), (devPtr, value, count))
PASS_BODY(DRV(cuMemsetD8)((CUdeviceptr)devPtr, (unsigned char)value, count))

RT_PTSZ(cudaMemsetAsync, (void *devPtr, int value, size_t count, cudaStream_t stream), (devPtr, value, count, stream))
PASS_BODY(DRV(cuMemsetD8Async)((CUdeviceptr)devPtr, (unsigned char)value, count, stream))

RT_PTDS(cudaMemset2D, (void *devPtr, size_t pitch, int value, size_t width, size_t height),
        (devPtr, pitch, value, width, height))
PASS_BODY(DRV(cuMemsetD2D8)((CUdeviceptr)devPtr, pitch, (unsigned char)value, width, height))

RT_PTSZ(cudaMemset2DAsync, (void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
        (devPtr, pitch, value, width, height, stream))
PASS_BODY(DRV(cuMemsetD2D8Async)((CUdeviceptr)devPtr, pitch, (unsigned char)value, width, height, stream))

/* The runtime sets a box slice by slice, unless the slices adjoin. */
static cudaError_t set_box(struct cudaPitchedPtr box, int value, struct cudaExtent extent, cudaStream_t stream,
                           bool is_async) {
    TRY(xs_rt_ready());
    CUdeviceptr base = (CUdeviceptr)box.ptr;
    bool adjoin = box.ysize == extent.height;
    size_t rows = adjoin ? extent.height * extent.depth : extent.height, slices = adjoin ? 1 : extent.depth;
    for (size_t z = 0; z < slices; z++) {
        CUdeviceptr at = base + z * box.pitch * box.ysize;
        CUresult result = is_async
                              ? DRV(cuMemsetD2D8Async)(at, box.pitch, (unsigned char)value, extent.width, rows, stream)
                              : DRV(cuMemsetD2D8)(at, box.pitch, (unsigned char)value, extent.width, rows);
        TRY(xs_rt_error(result));
    }
    return cudaSuccess;
}

RT_PTDS(cudaMemset3D, (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent),
        (pitchedDevPtr, value, extent)) {
    return set_box(pitchedDevPtr, value, extent, NULL, false);
}

RT_PTSZ(cudaMemset3DAsync,
        (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent, cudaStream_t stream),
        (pitchedDevPtr, value, extent, stream)) {
    return set_box(pitchedDevPtr, value, extent, stream, true);
}
