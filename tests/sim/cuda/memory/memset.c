/* Memory sets of every width and shape. */
#include "sim.h"

CUresult xs_set_from(CUdeviceptr dst, size_t pitch, unsigned element, uint32_t value, size_t width, size_t height,
                     struct xs_set *out) {
    size_t row = width * element;
    *out = (struct xs_set){.width = width, .height = height, .element = element, .value = value};
    if (width == 0 || height == 0)
        return CUDA_SUCCESS;
    if (dst % element != 0 || (height > 1 && pitch < row))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_span_of(dst, row + pitch * (height - 1), &out->dst);
    out->dst.pitch = pitch;
    return result == CUDA_SUCCESS && out->dst.kind == XS_PAGEABLE ? CUDA_ERROR_INVALID_VALUE : result;
}

static CUresult set_memory(CUdeviceptr dst, size_t pitch, unsigned element, uint32_t value, size_t width, size_t height,
                           CUstream handle, bool is_async) {
    struct CUstream_st *stream;
    struct xs_set set;
    CUresult result = xs_stream_of(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = xs_set_from(dst, pitch, element, value, width, height, &set);
    if (result == CUDA_SUCCESS && !is_async)
        result = xs_capture_check_sync(stream);
    if (result != CUDA_SUCCESS || width == 0 || height == 0)
        return result;
    struct xs_op *op = xs_op_new(XS_OP_SET);
    if (op == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->set = set;
    op->set.is_async = is_async;
    /* Even the plain ones return at once, except where they write host memory. */
    return xs_submit(stream, op, !is_async && (set.dst.kind == XS_PINNED || set.dst.kind == XS_REGISTERED));
}

#define SET_1D(bits, type)                                                                                             \
    CUresult xs_cuMemsetD##bits##_v2(CUdeviceptr dstDevice, type value, size_t N) {                                    \
        return set_memory(dstDevice, 0, bits / 8, value, N, 1, NULL, false);                                           \
    }                                                                                                                  \
    CUresult xs_cuMemsetD##bits##Async(CUdeviceptr dstDevice, type value, size_t N, CUstream hStream) {                \
        return set_memory(dstDevice, 0, bits / 8, value, N, 1, hStream, true);                                         \
    }                                                                                                                  \
    CUresult xs_cuMemsetD2D##bits##_v2(CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width,               \
                                       size_t Height) {                                                                \
        return set_memory(dstDevice, dstPitch, bits / 8, value, Width, Height, NULL, false);                           \
    }                                                                                                                  \
    CUresult xs_cuMemsetD2D##bits##Async(CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width,             \
                                         size_t Height, CUstream hStream) {                                            \
        return set_memory(dstDevice, dstPitch, bits / 8, value, Width, Height, hStream, true);                         \
    }

SET_1D(8, unsigned char)
SET_1D(16, unsigned short)
SET_1D(32, unsigned int)
