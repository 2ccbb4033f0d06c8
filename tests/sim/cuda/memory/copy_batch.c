/* Batched copies: each entry becomes a copy of its own on the stream, in order. */
#include "sim.h"

static CUresult batch_stream(CUstream handle, struct CUstream_st **stream) {
    CUresult result = xs_stream_of(handle, stream);
    if (result != CUDA_SUCCESS)
        return result;
    /* The driver takes no batches on the legacy stream, nor while the stream captures. */
    if ((*stream)->is_legacy)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    bool captured = (*stream)->capture != NULL;
    xs_queue_unlock();
    return captured ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult xs_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                               CUstream hStream) {
    struct CUstream_st *stream;
    if (failIdx != NULL)
        *failIdx = SIZE_MAX;
    CUresult result = batch_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (dsts == NULL || srcs == NULL || sizes == NULL || count == 0 || attrs == NULL || attrsIdxs == NULL ||
        numAttrs == 0 || numAttrs > count || attrsIdxs[0] != 0)
        return CUDA_ERROR_INVALID_VALUE;
    /* All are checked before any starts. */
    for (int pass = 0; pass < 2 && result == CUDA_SUCCESS; pass++) {
        for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
            struct xs_copy copy = {.width = sizes[i], .height = 1, .depth = 1, .parts = 1};
            result = sizes[i] == 0 ? CUDA_ERROR_INVALID_VALUE : xs_span_of(dsts[i], sizes[i], &copy.dst);
            if (result == CUDA_SUCCESS)
                result = xs_span_of(srcs[i], sizes[i], &copy.src);
            if (result == CUDA_SUCCESS && pass == 1)
                result = xs_submit_copy(hStream, &copy, true);
            if (result != CUDA_SUCCESS && failIdx != NULL)
                *failIdx = i;
        }
    }
    return result;
}

CUresult xs_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                  CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream) {
    return xs_cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL, hStream);
}

/* An operand of a 3D batch as one side of a CUDA_MEMCPY3D: extents count elements, which are bytes where no array is
 * involved. */
static void operand(const CUmemcpy3DOperand *operand, size_t element, CUmemorytype *type, CUdeviceptr *device,
                    CUarray *array, size_t *pitch, size_t *height, size_t offset[3]) {
    offset[0] = offset[1] = offset[2] = 0;
    if (operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        *type = CU_MEMORYTYPE_ARRAY;
        *array = operand->op.array.array;
        offset[0] = operand->op.array.offset.x * element;
        offset[1] = operand->op.array.offset.y;
        offset[2] = operand->op.array.offset.z;
        return;
    }
    *type = CU_MEMORYTYPE_UNIFIED;
    *device = operand->op.ptr.ptr;
    *pitch = operand->op.ptr.rowLength * element;
    *height = operand->op.ptr.layerHeight;
}

CUresult xs_copy_of_op(const CUDA_MEMCPY3D_BATCH_OP *op, struct xs_copy *copy) {
    size_t element = 1;
    if (op->src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY && op->src.op.array.array != NULL)
        element = op->src.op.array.array->element_bytes;
    else if (op->dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY && op->dst.op.array.array != NULL)
        element = op->dst.op.array.array->element_bytes;
    CUDA_MEMCPY3D params = {
        .WidthInBytes = op->extent.width * element, .Height = op->extent.height, .Depth = op->extent.depth};
    size_t offset[3];
    operand(&op->src, element, &params.srcMemoryType, &params.srcDevice, &params.srcArray, &params.srcPitch,
            &params.srcHeight, offset);
    params.srcXInBytes = offset[0], params.srcY = offset[1], params.srcZ = offset[2];
    operand(&op->dst, element, &params.dstMemoryType, &params.dstDevice, &params.dstArray, &params.dstPitch,
            &params.dstHeight, offset);
    params.dstXInBytes = offset[0], params.dstY = offset[1], params.dstZ = offset[2];
    return xs_copy_from_3d(&params, copy);
}

CUresult xs_cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                 unsigned long long flags, CUstream hStream) {
    struct CUstream_st *stream;
    if (failIdx != NULL)
        *failIdx = SIZE_MAX;
    CUresult result = batch_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (numOps == 0 || opList == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (int pass = 0; pass < 2 && result == CUDA_SUCCESS; pass++) {
        for (size_t i = 0; i < numOps && result == CUDA_SUCCESS; i++) {
            struct xs_copy copy;
            result = xs_copy_of_op(&opList[i], &copy);
            if (result == CUDA_SUCCESS && pass == 1)
                result = xs_submit_copy(hStream, &copy, true);
            if (result != CUDA_SUCCESS && failIdx != NULL)
                *failIdx = i;
        }
    }
    return result;
}

CUresult xs_cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                    CUstream hStream) {
    return xs_cuMemcpy3DBatchAsync(numOps, opList, NULL, flags, hStream);
}
