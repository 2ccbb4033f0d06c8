/* Functions of drivers newer than the headers; see newer.h. */
#include "sim.h"

/* The attributes say when and from where the source is read, which the simulated copy has no use for. */
CUresult xs_cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUmemcpyAttributes *attributes,
                                        CUstream stream) {
    struct xs_copy copy = {.width = bytes, .height = 1, .depth = 1, .parts = 1};
    if (attributes == NULL || attributes->srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_INVALID ||
        attributes->srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_span_of(dst, bytes, &copy.dst);
    if (result == CUDA_SUCCESS)
        result = xs_span_of(src, bytes, &copy.src);
    return result == CUDA_SUCCESS ? xs_submit_copy(stream, &copy, true) : result;
}

CUresult xs_cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags, CUstream stream) {
    struct xs_copy copy;
    if (op == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_copy_of_op(op, &copy);
    return result == CUDA_SUCCESS ? xs_submit_copy(stream, &copy, true) : result;
}

CUresult xs_cuLaunchHostFunc_v2(CUstream stream, CUhostFn fn, void *data, unsigned int syncMode) {
    return syncMode > 1 ? CUDA_ERROR_INVALID_VALUE : xs_cuLaunchHostFunc(stream, fn, data);
}

/* There is no graphics interface whose command list the work could go to, so it goes to a graph that nobody gets. */
CUresult xs_cuStreamBeginCaptureToCig(CUstream stream, CUstreamCigCaptureParams *params) {
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : xs_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

CUresult xs_cuStreamEndCaptureToCig(CUstream stream) {
    CUgraph graph = NULL;
    CUresult result = xs_cuStreamEndCapture(stream, &graph);
    if (result == CUDA_SUCCESS && graph != NULL)
        result = xs_cuGraphDestroy(graph);
    return result;
}

CUresult xs_cuFuncGetParamCount(CUfunction function, size_t *count) {
    if (function == NULL || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    size_t offset, bytes;
    for (*count = 0; xs_cuFuncGetParamInfo(function, *count, &offset, &bytes) == CUDA_SUCCESS; (*count)++) {
    }
    return CUDA_SUCCESS;
}

CUresult xs_cuSomethingNew(CUdeviceptr dst, size_t bytes, CUstream stream, double sum, int a, int b, int c, int d,
                           int e, unsigned char value) {
    /* Both are whole numbers. */
    return (long)sum != (long)a + b + c + d + e ? CUDA_ERROR_INVALID_VALUE
                                                : xs_cuMemsetD8Async(dst, value, bytes, stream);
}

CUresult xs_cuSomethingOut(unsigned *out) {
    *out = 1;
    return CUDA_SUCCESS;
}
