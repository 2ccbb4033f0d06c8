/* Stream memory operations: a stream that writes a value or waits for one. */
#include "sim.h"

static CUresult submit(CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags, bool wait, bool wide) {
    struct CUstream_st *stream;
    struct xs_range range;
    CUresult result = xs_stream_of(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    size_t bytes = wide ? 8 : 4;
    if (address % bytes != 0 || !xs_map_find(address, bytes, &range) || !range.known ||
        (wait && (flags & ~7u & ~(1u << 30)) != 0))
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_op *op = xs_op_new(XS_OP_MEM);
    if (op != NULL)
        op->mem = (struct xs_mem_op){address, value, flags, wait, wide};
    return xs_submit(stream, op, false);
}

CUresult xs_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return submit(stream, addr, value, flags, false, false);
}

CUresult xs_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return submit(stream, addr, value, flags, false, true);
}

CUresult xs_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return submit(stream, addr, value, flags, true, false);
}

CUresult xs_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return submit(stream, addr, value, flags, true, true);
}

CUresult xs_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                  unsigned int flags) {
    if (flags != 0 || (count > 0 && paramArray == NULL) || count > 256)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        const CUstreamBatchMemOpParams *p = &paramArray[i];
        switch (p->operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            result = submit(stream, p->waitValue.address, p->waitValue.value, p->waitValue.flags, true, false);
            break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            result = submit(stream, p->waitValue.address, p->waitValue.value64, p->waitValue.flags, true, true);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            result = submit(stream, p->writeValue.address, p->writeValue.value, p->writeValue.flags, false, false);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            result = submit(stream, p->writeValue.address, p->writeValue.value64, p->writeValue.flags, false, true);
            break;
        case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        case CU_STREAM_MEM_OP_BARRIER:
            break;
        default:
            result = CUDA_ERROR_INVALID_VALUE;
        }
    }
    return result;
}
