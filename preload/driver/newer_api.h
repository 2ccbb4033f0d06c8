/* Functions of newer drivers than the oldest toolkit that xferspy is built with, declared by hand as cuda.h of
 * CUDA 13.2 declares them. Included by driver_api.h alone. */
#ifndef XFERSPY_PRELOAD_DRIVER_NEWER_API_H
#define XFERSPY_PRELOAD_DRIVER_NEWER_API_H

#if CUDA_VERSION < 13020
typedef struct CUstreamCigCaptureParams_st CUstreamCigCaptureParams; /* only pointers to it are passed on */

#define XS_DECLARE(symbol, params)                                                                                     \
    CUresult CUDAAPI symbol params;                                                                                    \
    CUresult CUDAAPI symbol##_ptsz params;
XS_DECLARE(cuMemcpyWithAttributesAsync,
           (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUmemcpyAttributes *attributes, CUstream stream))
XS_DECLARE(cuMemcpy3DWithAttributesAsync, (CUDA_MEMCPY3D_BATCH_OP * op, unsigned long long flags, CUstream stream))
XS_DECLARE(cuLaunchHostFunc_v2, (CUstream stream, CUhostFn fn, void *data, unsigned int sync_mode))
XS_DECLARE(cuStreamBeginCaptureToCig, (CUstream stream, CUstreamCigCaptureParams *params))
XS_DECLARE(cuStreamEndCaptureToCig, (CUstream stream))
#undef XS_DECLARE
#endif

#endif
