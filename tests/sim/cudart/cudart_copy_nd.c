/* Copies of rectangles and boxes, with and without arrays. */
#include "cudart.h"

#include "cudart_copy_nd.h"

static CUmemorytype source_type(enum cudaMemcpyKind kind) {
    return kind == cudaMemcpyDefault                                        ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost ? CU_MEMORYTYPE_HOST
                                                                            : CU_MEMORYTYPE_DEVICE;
}

static CUmemorytype target_type(enum cudaMemcpyKind kind) {
    return kind == cudaMemcpyDefault                                        ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost ? CU_MEMORYTYPE_HOST
                                                                            : CU_MEMORYTYPE_DEVICE;
}

static CUDA_MEMCPY2D rectangle(size_t width, size_t height) {
    return (CUDA_MEMCPY2D){.WidthInBytes = width, .Height = height};
}

static void from_linear(CUDA_MEMCPY2D *p, const void *src, size_t pitch, enum cudaMemcpyKind kind) {
    p->srcMemoryType = source_type(kind);
    p->srcHost = p->srcMemoryType == CU_MEMORYTYPE_HOST ? src : NULL;
    p->srcDevice = p->srcMemoryType == CU_MEMORYTYPE_HOST ? 0 : (CUdeviceptr)src;
    p->srcPitch = pitch;
}

static void to_linear(CUDA_MEMCPY2D *p, void *dst, size_t pitch, enum cudaMemcpyKind kind) {
    p->dstMemoryType = target_type(kind);
    p->dstHost = p->dstMemoryType == CU_MEMORYTYPE_HOST ? dst : NULL;
    p->dstDevice = p->dstMemoryType == CU_MEMORYTYPE_HOST ? 0 : (CUdeviceptr)dst;
    p->dstPitch = pitch;
}

static void from_array(CUDA_MEMCPY2D *p, cudaArray_const_t src, size_t x, size_t y) {
    p->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    p->srcArray = (CUarray)src;
    p->srcXInBytes = x;
    p->srcY = y;
}

static void to_array(CUDA_MEMCPY2D *p, cudaArray_t dst, size_t x, size_t y) {
    p->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    p->dstArray = (CUarray)dst;
    p->dstXInBytes = x;
    p->dstY = y;
}

/* If one side is an array, the runtime makes a box of the copy. */
static bool with_array(const CUDA_MEMCPY2D *p) {
    return p->srcMemoryType == CU_MEMORYTYPE_ARRAY || p->dstMemoryType == CU_MEMORYTYPE_ARRAY;
}

static CUDA_MEMCPY3D boxed(const CUDA_MEMCPY2D *p) {
    return (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height,
                           .Depth = 1};
}

static cudaError_t run(const CUDA_MEMCPY2D *p) {
    TRY(xs_rt_ready());
    if (!with_array(p))
        return xs_rt_error(DRV(cuMemcpy2DUnaligned)(p));
    CUDA_MEMCPY3D box = boxed(p);
    return xs_rt_error(DRV(cuMemcpy3D)(&box));
}

static cudaError_t run_async(const CUDA_MEMCPY2D *p, cudaStream_t stream) {
    TRY(xs_rt_ready());
    if (!with_array(p))
        return xs_rt_error(DRV(cuMemcpy2DAsync)(p, stream));
    CUDA_MEMCPY3D box = boxed(p);
    return xs_rt_error(DRV(cuMemcpy3DAsync)(&box, stream));
}

#define LINEAR_2D                                                                                                      \
    if (dpitch < width || spitch < width)                                                                              \
        return cudaErrorInvalidPitchValue;                                                                             \
    CUDA_MEMCPY2D p = rectangle(width, height);                                                                        \
    from_linear(&p, src, spitch, kind);                                                                                \
    to_linear(&p, dst, dpitch, kind);

RT_PTDS(cudaMemcpy2D,
        (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (dst, dpitch, src, spitch, width, height, kind)) {
    LINEAR_2D
    return run(&p);
}

RT_PTSZ(cudaMemcpy2DAsync,
        (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, dpitch, src, spitch, width, height, kind, stream)) {
    LINEAR_2D
    return run_async(&p, stream);
}

#define TO_ARRAY_2D                                                                                                    \
    CUDA_MEMCPY2D p = rectangle(width, height);                                                                        \
    from_linear(&p, src, spitch, kind);                                                                                \
    to_array(&p, dst, wOffset, hOffset);

RT_PTDS(cudaMemcpy2DToArray,
        (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (dst, wOffset, hOffset, src, spitch, width, height, kind)) {
    TO_ARRAY_2D
    return run(&p);
}

RT_PTSZ(cudaMemcpy2DToArrayAsync,
        (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, wOffset, hOffset, src, spitch, width, height, kind, stream)) {
    TO_ARRAY_2D
    return run_async(&p, stream);
}

#define FROM_ARRAY_2D                                                                                                  \
    CUDA_MEMCPY2D p = rectangle(width, height);                                                                        \
    from_array(&p, src, wOffset, hOffset);                                                                             \
    to_linear(&p, dst, dpitch, kind);

RT_PTDS(cudaMemcpy2DFromArray,
        (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (dst, dpitch, src, wOffset, hOffset, width, height, kind)) {
    FROM_ARRAY_2D
    return run(&p);
}

RT_PTSZ(cudaMemcpy2DFromArrayAsync,
        (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, dpitch, src, wOffset, hOffset, width, height, kind, stream)) {
    FROM_ARRAY_2D
    return run_async(&p, stream);
}

RT_PTDS(cudaMemcpy2DArrayToArray,
        (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
         size_t hOffsetSrc, size_t width, size_t height, enum cudaMemcpyKind kind),
        (dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind)) {
    (void)kind;
    CUDA_MEMCPY2D p = rectangle(width, height);
    from_array(&p, src, wOffsetSrc, hOffsetSrc);
    to_array(&p, dst, wOffsetDst, hOffsetDst);
    return run(&p);
}

static size_t element_bytes(cudaArray_t array) {
    CUDA_ARRAY3D_DESCRIPTOR found;
    if (array == NULL || DRV(cuArray3DGetDescriptor)(&found, (CUarray)array) != CUDA_SUCCESS)
        return 1;
    size_t bytes = found.Format == CU_AD_FORMAT_UNSIGNED_INT8 || found.Format == CU_AD_FORMAT_SIGNED_INT8 ? 1
                   : found.Format == CU_AD_FORMAT_UNSIGNED_INT16 || found.Format == CU_AD_FORMAT_SIGNED_INT16 ||
                           found.Format == CU_AD_FORMAT_HALF
                       ? 2
                       : 4;
    return bytes * found.NumChannels;
}

/* The old linear forms continue from row to row: whole rows become a rectangle, and anything else has to lie within one
 * row. */
static CUDA_MEMCPY2D rows_of(cudaArray_const_t array, size_t x, size_t count) {
    CUDA_ARRAY3D_DESCRIPTOR found;
    cudaArray_t plain = (cudaArray_t)(uintptr_t)array;
    if (x != 0 || DRV(cuArray3DGetDescriptor)(&found, (CUarray)plain) != CUDA_SUCCESS)
        return rectangle(count, 1);
    size_t row = found.Width * element_bytes(plain);
    return row > 0 && count > row && count % row == 0 ? rectangle(row, count / row) : rectangle(count, 1);
}

RT_PTDS(cudaMemcpyToArray,
        (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, enum cudaMemcpyKind kind),
        (dst, wOffset, hOffset, src, count, kind)) {
    TRY(xs_rt_ready());
    CUDA_MEMCPY2D p = rows_of(dst, wOffset, count);
    from_linear(&p, src, p.WidthInBytes, kind);
    to_array(&p, dst, wOffset, hOffset);
    return run(&p);
}

RT_PTDS(cudaMemcpyFromArray,
        (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, enum cudaMemcpyKind kind),
        (dst, src, wOffset, hOffset, count, kind)) {
    TRY(xs_rt_ready());
    CUDA_MEMCPY2D p = rows_of(src, wOffset, count);
    from_array(&p, src, wOffset, hOffset);
    to_linear(&p, dst, p.WidthInBytes, kind);
    return run(&p);
}

/* ---- boxes ---- */

/* An extent counts elements where an array takes part, and bytes otherwise. */
cudaError_t xs_rt_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out) {
    if (p == NULL)
        return cudaErrorInvalidValue;
    size_t element = p->srcArray != NULL ? element_bytes(p->srcArray) : element_bytes(p->dstArray);
    *out = (CUDA_MEMCPY3D){.WidthInBytes = p->extent.width * element,
                           .Height = p->extent.height,
                           .Depth = p->extent.depth,
                           .srcXInBytes = p->srcPos.x * (p->srcArray != NULL ? element : 1),
                           .srcY = p->srcPos.y,
                           .srcZ = p->srcPos.z,
                           .dstXInBytes = p->dstPos.x * (p->dstArray != NULL ? element : 1),
                           .dstY = p->dstPos.y,
                           .dstZ = p->dstPos.z};
    out->srcMemoryType = p->srcArray != NULL ? CU_MEMORYTYPE_ARRAY : source_type(p->kind);
    out->srcArray = (CUarray)p->srcArray;
    out->srcHost = out->srcMemoryType == CU_MEMORYTYPE_HOST ? p->srcPtr.ptr : NULL;
    out->srcDevice = out->srcMemoryType == CU_MEMORYTYPE_HOST ? 0 : (CUdeviceptr)p->srcPtr.ptr;
    out->srcPitch = p->srcPtr.pitch;
    out->srcHeight = p->srcPtr.ysize;
    out->dstMemoryType = p->dstArray != NULL ? CU_MEMORYTYPE_ARRAY : target_type(p->kind);
    out->dstArray = (CUarray)p->dstArray;
    out->dstHost = out->dstMemoryType == CU_MEMORYTYPE_HOST ? p->dstPtr.ptr : NULL;
    out->dstDevice = out->dstMemoryType == CU_MEMORYTYPE_HOST ? 0 : (CUdeviceptr)p->dstPtr.ptr;
    out->dstPitch = p->dstPtr.pitch;
    out->dstHeight = p->dstPtr.ysize;
    return cudaSuccess;
}

RT_PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p)) {
    CUDA_MEMCPY3D box;
    TRY(xs_rt_ready());
    TRY(xs_rt_box(p, &box));
    return xs_rt_error(DRV(cuMemcpy3D)(&box));
}

RT_PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream), (p, stream)) {
    CUDA_MEMCPY3D box;
    TRY(xs_rt_ready());
    TRY(xs_rt_box(p, &box));
    return xs_rt_error(DRV(cuMemcpy3DAsync)(&box, stream));
}

static cudaError_t peer_box(const struct cudaMemcpy3DPeerParms *p, CUDA_MEMCPY3D_PEER *out) {
    CUDA_MEMCPY3D box;
    CUcontext from, to;
    TRY(xs_rt_ready());
    if (p == NULL)
        return cudaErrorInvalidValue;
    TRY(xs_rt_context_of(p->srcDevice, &from));
    TRY(xs_rt_context_of(p->dstDevice, &to));
    struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = cudaMemcpyDeviceToDevice};
    TRY(xs_rt_box(&plain, &box));
    *out = (CUDA_MEMCPY3D_PEER){.srcXInBytes = box.srcXInBytes,
                                .srcY = box.srcY,
                                .srcZ = box.srcZ,
                                .srcMemoryType = box.srcMemoryType,
                                .srcDevice = box.srcDevice,
                                .srcArray = box.srcArray,
                                .srcContext = from,
                                .srcPitch = box.srcPitch,
                                .srcHeight = box.srcHeight,
                                .dstXInBytes = box.dstXInBytes,
                                .dstY = box.dstY,
                                .dstZ = box.dstZ,
                                .dstMemoryType = box.dstMemoryType,
                                .dstDevice = box.dstDevice,
                                .dstArray = box.dstArray,
                                .dstContext = to,
                                .dstPitch = box.dstPitch,
                                .dstHeight = box.dstHeight,
                                .WidthInBytes = box.WidthInBytes,
                                .Height = box.Height,
                                .Depth = box.Depth};
    return cudaSuccess;
}

RT_PTDS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), (p)) {
    CUDA_MEMCPY3D_PEER box;
    TRY(peer_box(p, &box));
    return xs_rt_error(DRV(cuMemcpy3DPeer)(&box));
}

RT_PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream), (p, stream)) {
    CUDA_MEMCPY3D_PEER box;
    TRY(peer_box(p, &box));
    return xs_rt_error(DRV(cuMemcpy3DPeerAsync)(&box, stream));
}
