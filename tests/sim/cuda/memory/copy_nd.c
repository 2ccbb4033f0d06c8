/* Copies of rectangles and boxes, and those from, to and between arrays: all become one strided copy. */
#include "sim.h"

/* One side of a CUDA_MEMCPY3D; 2D and peer structures are brought to this form. */
struct side {
    CUmemorytype type;
    void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x_bytes, y, z, pitch, height;
};

static CUresult side_span(const struct side *side, size_t width, size_t rows, size_t depth, struct xs_span *out) {
    if (side->type == CU_MEMORYTYPE_ARRAY) {
        CUresult result = xs_array_span(side->array, side->x_bytes, side->y, side->z, out);
        if (result == CUDA_SUCCESS && side->array != NULL &&
            (side->x_bytes + width > side->array->pitch || side->y + rows > side->array->rows ||
             side->z + depth > side->array->slices))
            result = CUDA_ERROR_INVALID_VALUE;
        return result;
    }
    size_t pitch = side->pitch != 0 ? side->pitch : width + side->x_bytes;
    size_t height = side->height != 0 ? side->height : rows;
    if (pitch < width + side->x_bytes || height < rows)
        return CUDA_ERROR_INVALID_VALUE;
    uintptr_t base = side->type == CU_MEMORYTYPE_HOST ? (uintptr_t)side->host : side->device;
    base += side->x_bytes + side->y * pitch + side->z * pitch * height;
    size_t bytes = width + pitch * (rows - 1) + pitch * height * (depth - 1);
    CUresult result = xs_span_of(base, bytes, out);
    if (result == CUDA_SUCCESS && side->type == CU_MEMORYTYPE_DEVICE && out->kind == XS_PAGEABLE)
        result = CUDA_ERROR_INVALID_VALUE;
    out->pitch = pitch;
    out->slice = pitch * height;
    return result;
}

static CUresult box(const struct side *src, const struct side *dst, size_t width, size_t height, size_t depth,
                    struct xs_copy *out) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    *out = (struct xs_copy){.width = width, .height = height, .depth = depth, .parts = 1};
    if (result != CUDA_SUCCESS || width == 0 || height == 0 || depth == 0)
        return result;
    result = side_span(src, width, height, depth, &out->src);
    if (result == CUDA_SUCCESS)
        result = side_span(dst, width, height, depth, &out->dst);
    /* Rows that are contiguous on both sides count as one row for staging and timing. */
    if (result == CUDA_SUCCESS && height > 1 && out->src.pitch == width && out->dst.pitch == width && depth == 1) {
        out->width = width * height;
        out->height = 1;
    }
    return result;
}

CUresult xs_copy_from_3d(const CUDA_MEMCPY3D *p, struct xs_copy *out) {
    if (p == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct side src = {p->srcMemoryType, (void *)p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY,
                       p->srcZ,          p->srcPitch,        p->srcHeight};
    struct side dst = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                       p->dstY,          p->dstZ,    p->dstPitch,  p->dstHeight};
    return box(&src, &dst, p->WidthInBytes, p->Height, p->Depth, out);
}

/* Converts back, for graph nodes that were captured: everything is an address again. */
void xs_copy_to_3d(const struct xs_copy *copy, CUDA_MEMCPY3D *out) {
    bool src_host = copy->src.device < 0, dst_host = copy->dst.device < 0;
    *out = (CUDA_MEMCPY3D){.WidthInBytes = copy->width, .Height = copy->height, .Depth = copy->depth};
    out->srcMemoryType = src_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    out->dstMemoryType = dst_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    out->srcHost = src_host ? copy->src.base : NULL;
    out->srcDevice = src_host ? 0 : (CUdeviceptr)copy->src.base;
    out->dstHost = dst_host ? copy->dst.base : NULL;
    out->dstDevice = dst_host ? 0 : (CUdeviceptr)copy->dst.base;
    out->srcPitch = copy->src.pitch != 0 ? copy->src.pitch : copy->width;
    out->dstPitch = copy->dst.pitch != 0 ? copy->dst.pitch : copy->width;
    out->srcHeight = out->srcPitch != 0 && copy->src.slice != 0 ? copy->src.slice / out->srcPitch : copy->height;
    out->dstHeight = out->dstPitch != 0 && copy->dst.slice != 0 ? copy->dst.slice / out->dstPitch : copy->height;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *p, CUstream stream, bool is_async) {
    struct xs_copy copy;
    if (p == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct side src = {
        p->srcMemoryType, (void *)p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY, 0, p->srcPitch, 0};
    struct side dst = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes, p->dstY, 0,
                       p->dstPitch,      0};
    CUresult result = box(&src, &dst, p->WidthInBytes, p->Height, 1, &copy);
    return result == CUDA_SUCCESS ? xs_submit_copy(stream, &copy, is_async) : result;
}

CUresult xs_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, NULL, false); }

CUresult xs_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, NULL, false); }

CUresult xs_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) { return copy_2d(pCopy, hStream, true); }

CUresult xs_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
    struct xs_copy copy;
    CUresult result = xs_copy_from_3d(pCopy, &copy);
    return result == CUDA_SUCCESS ? xs_submit_copy(NULL, &copy, false) : result;
}

CUresult xs_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
    struct xs_copy copy;
    CUresult result = xs_copy_from_3d(pCopy, &copy);
    return result == CUDA_SUCCESS ? xs_submit_copy(hStream, &copy, true) : result;
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream, bool is_async) {
    struct xs_copy copy;
    if (p == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct side src = {p->srcMemoryType, (void *)p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY,
                       p->srcZ,          p->srcPitch,        p->srcHeight};
    struct side dst = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                       p->dstY,          p->dstZ,    p->dstPitch,  p->dstHeight};
    CUresult result = box(&src, &dst, p->WidthInBytes, p->Height, p->Depth, &copy);
    return result == CUDA_SUCCESS ? xs_submit_copy(stream, &copy, is_async) : result;
}

CUresult xs_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) { return copy_3d_peer(pCopy, NULL, false); }

CUresult xs_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
    return copy_3d_peer(pCopy, hStream, true);
}

/* ---- linear copies of arrays: they run on from row to row, so that the array has to be of one row here or the copy
 * within one ---- */

static CUresult array_copy(const struct side *src, const struct side *dst, size_t bytes, CUstream stream,
                           bool is_async) {
    struct xs_copy copy;
    CUresult result = box(src, dst, bytes, 1, 1, &copy);
    return result == CUDA_SUCCESS ? xs_submit_copy(stream, &copy, is_async) : result;
}

static struct side of_array(CUarray array, size_t offset) {
    size_t pitch = array != NULL && array->pitch != 0 ? array->pitch : 1;
    return (struct side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .x_bytes = offset % pitch, .y = offset / pitch};
}

static struct side of_device(CUdeviceptr device) {
    return (struct side){.type = CU_MEMORYTYPE_DEVICE, .device = device};
}

static struct side of_host(const void *host) { return (struct side){.type = CU_MEMORYTYPE_HOST, .host = (void *)host}; }

CUresult xs_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount) {
    struct side src = of_device(srcDevice), dst = of_array(dstArray, dstOffset);
    return array_copy(&src, &dst, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    struct side src = of_array(srcArray, srcOffset), dst = of_device(dstDevice);
    return array_copy(&src, &dst, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount) {
    struct side src = of_host(srcHost), dst = of_array(dstArray, dstOffset);
    return array_copy(&src, &dst, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    struct side src = of_array(srcArray, srcOffset), dst = of_host(dstHost);
    return array_copy(&src, &dst, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    struct side src = of_array(srcArray, srcOffset), dst = of_array(dstArray, dstOffset);
    return array_copy(&src, &dst, ByteCount, NULL, false);
}

CUresult xs_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                 CUstream hStream) {
    struct side src = of_host(srcHost), dst = of_array(dstArray, dstOffset);
    return array_copy(&src, &dst, ByteCount, hStream, true);
}

CUresult xs_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                 CUstream hStream) {
    struct side src = of_array(srcArray, srcOffset), dst = of_host(dstHost);
    return array_copy(&src, &dst, ByteCount, hStream, true);
}
