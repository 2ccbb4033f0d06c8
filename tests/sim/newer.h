/* Functions of drivers that are newer than the toolkit's headers: five of CUDA 13.2 that xferspy wraps, one that
 * xferspy knows to be harmless (cuFuncGetParamCount), and two that no real driver has. The rows are X(function); each
 * function has a variant with _ptsz.
 *
 * The simulated CUPTI gives them callback ids after all ids of the headers. The real ids are in no header here, so no
 * tool may depend on them: a tool must query the names (cuptiGetCallbackName). */
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
    XS_SIM_NEWER_BEGIN = CUPTI_DRIVER_TRACE_CBID_SIZE + 39, /* the ids in between belong to unknown functions */
    XS_SIM_NEWER(XS_NEWER_CBID) XS_SIM_NEWER_END
};
#undef XS_NEWER_CBID

#endif
