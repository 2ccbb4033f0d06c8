/* Functions of drivers that are newer than the toolkit's headers: those of CUDA 13.2 that xferspy knows, one that it
 * knows to change nothing, and two that nobody has heard of. X(function), and each has a variant with _ptsz.
 *
 * CUPTI numbers them behind all that the headers have. The real numbers are in no header here, so nothing may rest on
 * them: a tool asks for the names (cuptiGetCallbackName). */
#ifndef XS_SIM_NEWER_H
#define XS_SIM_NEWER_H

#include <cuda.h>
#include <cupti_driver_cbid.h>

#if CUDA_VERSION < 13020
typedef struct CUstreamCigCaptureParams_st CUstreamCigCaptureParams;
#endif

#define XS_SIM_NEWER(X)                                                                                                \
    X(cuMemcpyWithAttributesAsync)                                                                                     \
    X(cuMemcpy3DWithAttributesAsync)                                                                                   \
    X(cuLaunchHostFunc_v2)                                                                                             \
    X(cuStreamBeginCaptureToCig)                                                                                       \
    X(cuStreamEndCaptureToCig)                                                                                         \
    X(cuFuncGetParamCount)                                                                                             \
    X(cuSomethingNew)                                                                                                  \
    X(cuSomethingOut)

#define XS_NEWER_CBID(symbol) XS_SIM_CBID_##symbol, XS_SIM_CBID_##symbol##_ptsz,
enum xs_sim_newer_cbid {
    XS_SIM_NEWER_BEGIN = CUPTI_DRIVER_TRACE_CBID_SIZE + 39, /* between them are others, of which we know nothing */
    XS_SIM_NEWER(XS_NEWER_CBID) XS_SIM_NEWER_END
};
#undef XS_NEWER_CBID

#endif
