/* Lists the driver's entry points whose CUPTI callback gives a correlation id, as rows X(entry point, kind of call).
 * cupti_driver_cbid.h has their callback ids. An id has the same meaning in every version of CUPTI. If a version of
 * CUPTI does not know an id, the error that it returns for this id is ignored. */
#ifndef XFERSPY_PRELOAD_CUPTI_CUPTI_CALLBACK_IDS_H
#define XFERSPY_PRELOAD_CUPTI_CUPTI_CALLBACK_IDS_H

/* cuda.h, which CUPTI's headers include, replaces these names by those of newer versions. The rows below need the plain
 * names. */
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync

enum xs_cupti_call { XS_CUPTI_COPY, XS_CUPTI_LAUNCH, XS_CUPTI_GRAPH };

/* Copies and memsets are in the table of entry points (driver/entry_points.def). For each category of this table there
 * is a macro XS_CUPTI_OF_..., which makes a row X of an entry point, or nothing. Launches are listed separately below,
 * because CUPTI makes no records of some launches. */
#define XS_CUPTI_OF_TRANSFER(X, symbol) X(symbol, XS_CUPTI_COPY)
#define XS_CUPTI_OF_MEMSET(X, symbol) X(symbol, XS_CUPTI_COPY)
#define XS_CUPTI_OF_ALLOCATE(X, symbol)
#define XS_CUPTI_OF_FREE(X, symbol)
#define XS_CUPTI_OF_LOOKUP(X, symbol)
#define XS_CUPTI_OF_LOAD(X, symbol)
#define XS_CUPTI_OF_MANAGED(X, symbol)
#define XS_CUPTI_OF_STREAM_MEMOP(X, symbol)
#define XS_CUPTI_OF_LAUNCH(X, symbol)
#define XS_CUPTI_OF_GRAPH(X, symbol)
#define XS_CUPTI_OF_CAPTURE(X, symbol)
#define XS_CUPTI_OF_SYNC(X, symbol)
#define XS_CUPTI_OF_STREAM(X, symbol)
#define XS_CUPTI_OF_CONTEXT(X, symbol)

/* Entry points that are not in the table of entry points: cuMemcpy_v2, and the versions from before CUDA 3.2, which can
 * still be called. */
#define XS_CUPTI_OLDER(X)                                                                                              \
    X(cuMemcpyHtoD, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyDtoH, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyDtoD, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyDtoA, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyAtoD, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyHtoA, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyAtoH, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpyAtoA, XS_CUPTI_COPY)                                                                                     \
    X(cuMemcpy2D, XS_CUPTI_COPY)                                                                                       \
    X(cuMemcpy2DUnaligned, XS_CUPTI_COPY)                                                                              \
    X(cuMemcpy3D, XS_CUPTI_COPY)                                                                                       \
    X(cuMemcpyHtoDAsync, XS_CUPTI_COPY)                                                                                \
    X(cuMemcpyDtoHAsync, XS_CUPTI_COPY)                                                                                \
    X(cuMemcpyDtoDAsync, XS_CUPTI_COPY)                                                                                \
    X(cuMemcpyHtoAAsync, XS_CUPTI_COPY)                                                                                \
    X(cuMemcpyAtoHAsync, XS_CUPTI_COPY)                                                                                \
    X(cuMemcpy2DAsync, XS_CUPTI_COPY)                                                                                  \
    X(cuMemcpy3DAsync, XS_CUPTI_COPY)                                                                                  \
    X(cuMemcpy_v2, XS_CUPTI_COPY)                                                                                      \
    X(cuMemsetD8, XS_CUPTI_COPY)                                                                                       \
    X(cuMemsetD16, XS_CUPTI_COPY)                                                                                      \
    X(cuMemsetD32, XS_CUPTI_COPY)                                                                                      \
    X(cuMemsetD2D8, XS_CUPTI_COPY)                                                                                     \
    X(cuMemsetD2D16, XS_CUPTI_COPY)                                                                                    \
    X(cuMemsetD2D32, XS_CUPTI_COPY)

/* Copies in a graph have the correlation id of the graph's launch. */
#define XS_CUPTI_LAUNCHES(X)                                                                                           \
    X(cuGraphLaunch, XS_CUPTI_GRAPH)                                                                                   \
    X(cuGraphLaunch_ptsz, XS_CUPTI_GRAPH)                                                                              \
    X(cuLaunch, XS_CUPTI_LAUNCH)                                                                                       \
    X(cuLaunchGrid, XS_CUPTI_LAUNCH)                                                                                   \
    X(cuLaunchGridAsync, XS_CUPTI_LAUNCH)                                                                              \
    X(cuLaunchKernel, XS_CUPTI_LAUNCH)                                                                                 \
    X(cuLaunchKernel_ptsz, XS_CUPTI_LAUNCH)                                                                            \
    X(cuLaunchKernelEx, XS_CUPTI_LAUNCH)                                                                               \
    X(cuLaunchKernelEx_ptsz, XS_CUPTI_LAUNCH)                                                                          \
    X(cuLaunchCooperativeKernel, XS_CUPTI_LAUNCH)                                                                      \
    X(cuLaunchCooperativeKernel_ptsz, XS_CUPTI_LAUNCH)                                                                 \
    X(cuLaunchCooperativeKernelMultiDevice, XS_CUPTI_LAUNCH)

/* The entry points of copies that CUDA 13.2 added. The headers of the oldest toolkit with which xferspy can be built do
 * not have the ids of these entry points. So the ids are found at run time, by asking CUPTI for the names of all ids
 * from XS_CUPTI_FIRST_NEWER on. */
#define CUPTI_DRIVER_TRACE_CBID_cuMemcpyWithAttributesAsync CUPTI_DRIVER_TRACE_CBID_INVALID
#define CUPTI_DRIVER_TRACE_CBID_cuMemcpyWithAttributesAsync_ptsz CUPTI_DRIVER_TRACE_CBID_INVALID
#define CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DWithAttributesAsync CUPTI_DRIVER_TRACE_CBID_INVALID
#define CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DWithAttributesAsync_ptsz CUPTI_DRIVER_TRACE_CBID_INVALID
#define XS_CUPTI_FIRST_NEWER 807u /* CUPTI_DRIVER_TRACE_CBID_SIZE of CUDA 13.0 */

#endif
