/* Declares the driver functions that are newer than the oldest toolkit with which xferspy can be built. They are
 * declared by hand, in the same way as cuda.h of CUDA 13.2 declares them. Only driver_api.h includes this file.
 *
 * X(symbol, (parameters)) declares a function and its variant with the suffix _ptsz. The list is empty if cuda.h itself
 * declares these functions. */
#ifndef XFERSPY_PRELOAD_DRIVER_NEWER_API_H
#define XFERSPY_PRELOAD_DRIVER_NEWER_API_H

#if CUDA_VERSION < 13020
typedef struct CUstreamCigCaptureParams_st CUstreamCigCaptureParams; /* only pointers to this type are used */

/* clang-format off */
#define XS_NEWER_API(X)                                                                                                \
    X(cuMemcpyWithAttributesAsync,                                                                                     \
      (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUmemcpyAttributes *attributes, CUstream stream))               \
    X(cuMemcpy3DWithAttributesAsync, (CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags, CUstream stream))          \
    X(cuLaunchHostFunc_v2, (CUstream stream, CUhostFn fn, void *data, unsigned int sync_mode))                         \
    X(cuStreamBeginCaptureToCig, (CUstream stream, CUstreamCigCaptureParams *params))                                  \
    X(cuStreamEndCaptureToCig, (CUstream stream))
/* clang-format on */
#else
#define XS_NEWER_API(X)
#endif

#define XS_DECLARE(symbol, params)                                                                                     \
    CUresult CUDAAPI symbol params;                                                                                    \
    CUresult CUDAAPI symbol##_ptsz params;
XS_NEWER_API(XS_DECLARE)
#undef XS_DECLARE

#endif
