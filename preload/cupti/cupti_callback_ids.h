/* The driver's entry points whose CUPTI callback gives a correlation id, one row for each callback id of
 * cupti_driver_cbid.h. An id has the same meaning in every version of CUPTI. If a CUPTI does not know an id, its error
 * is ignored. */
#ifndef XFERSPY_PRELOAD_CUPTI_CUPTI_CALLBACK_IDS_H
#define XFERSPY_PRELOAD_CUPTI_CUPTI_CALLBACK_IDS_H

#define XS_CUPTI_COPIES(X)                                                                                             \
    /* exported before CUDA 3.2, still callable */                                                                     \
    X(cuMemcpyHtoD)                                                                                                    \
    X(cuMemcpyDtoH)                                                                                                    \
    X(cuMemcpyDtoD)                                                                                                    \
    X(cuMemcpyDtoA)                                                                                                    \
    X(cuMemcpyAtoD)                                                                                                    \
    X(cuMemcpyHtoA)                                                                                                    \
    X(cuMemcpyAtoH)                                                                                                    \
    X(cuMemcpyAtoA)                                                                                                    \
    X(cuMemcpy2D)                                                                                                      \
    X(cuMemcpy2DUnaligned)                                                                                             \
    X(cuMemcpy3D)                                                                                                      \
    X(cuMemcpyHtoDAsync)                                                                                               \
    X(cuMemcpyDtoHAsync)                                                                                               \
    X(cuMemcpyDtoDAsync)                                                                                               \
    X(cuMemcpyHtoAAsync)                                                                                               \
    X(cuMemcpyAtoHAsync)                                                                                               \
    X(cuMemcpy2DAsync)                                                                                                 \
    X(cuMemcpy3DAsync)                                                                                                 \
    /* the legacy default stream */                                                                                    \
    X(cuMemcpy)                                                                                                        \
    X(cuMemcpy_v2)                                                                                                     \
    X(cuMemcpyHtoD_v2)                                                                                                 \
    X(cuMemcpyDtoH_v2)                                                                                                 \
    X(cuMemcpyDtoD_v2)                                                                                                 \
    X(cuMemcpyDtoA_v2)                                                                                                 \
    X(cuMemcpyAtoD_v2)                                                                                                 \
    X(cuMemcpyHtoA_v2)                                                                                                 \
    X(cuMemcpyAtoH_v2)                                                                                                 \
    X(cuMemcpyAtoA_v2)                                                                                                 \
    X(cuMemcpy2D_v2)                                                                                                   \
    X(cuMemcpy2DUnaligned_v2)                                                                                          \
    X(cuMemcpy3D_v2)                                                                                                   \
    X(cuMemcpyPeer)                                                                                                    \
    X(cuMemcpy3DPeer)                                                                                                  \
    X(cuMemcpyAsync)                                                                                                   \
    X(cuMemcpyHtoDAsync_v2)                                                                                            \
    X(cuMemcpyDtoHAsync_v2)                                                                                            \
    X(cuMemcpyDtoDAsync_v2)                                                                                            \
    X(cuMemcpyHtoAAsync_v2)                                                                                            \
    X(cuMemcpyAtoHAsync_v2)                                                                                            \
    X(cuMemcpy2DAsync_v2)                                                                                              \
    X(cuMemcpy3DAsync_v2)                                                                                              \
    X(cuMemcpyPeerAsync)                                                                                               \
    X(cuMemcpy3DPeerAsync)                                                                                             \
    X(cuMemcpyBatchAsync)                                                                                              \
    X(cuMemcpy3DBatchAsync)                                                                                            \
    X(cuMemcpyBatchAsync_v2)                                                                                           \
    X(cuMemcpy3DBatchAsync_v2)                                                                                         \
    /* the per-thread default stream */                                                                                \
    X(cuMemcpy_ptds)                                                                                                   \
    X(cuMemcpyHtoD_v2_ptds)                                                                                            \
    X(cuMemcpyDtoH_v2_ptds)                                                                                            \
    X(cuMemcpyDtoD_v2_ptds)                                                                                            \
    X(cuMemcpyDtoA_v2_ptds)                                                                                            \
    X(cuMemcpyAtoD_v2_ptds)                                                                                            \
    X(cuMemcpyHtoA_v2_ptds)                                                                                            \
    X(cuMemcpyAtoH_v2_ptds)                                                                                            \
    X(cuMemcpyAtoA_v2_ptds)                                                                                            \
    X(cuMemcpy2D_v2_ptds)                                                                                              \
    X(cuMemcpy2DUnaligned_v2_ptds)                                                                                     \
    X(cuMemcpy3D_v2_ptds)                                                                                              \
    X(cuMemcpyPeer_ptds)                                                                                               \
    X(cuMemcpy3DPeer_ptds)                                                                                             \
    X(cuMemcpyAsync_ptsz)                                                                                              \
    X(cuMemcpyHtoDAsync_v2_ptsz)                                                                                       \
    X(cuMemcpyDtoHAsync_v2_ptsz)                                                                                       \
    X(cuMemcpyDtoDAsync_v2_ptsz)                                                                                       \
    X(cuMemcpyHtoAAsync_v2_ptsz)                                                                                       \
    X(cuMemcpyAtoHAsync_v2_ptsz)                                                                                       \
    X(cuMemcpy2DAsync_v2_ptsz)                                                                                         \
    X(cuMemcpy3DAsync_v2_ptsz)                                                                                         \
    X(cuMemcpyPeerAsync_ptsz)                                                                                          \
    X(cuMemcpy3DPeerAsync_ptsz)                                                                                        \
    X(cuMemcpyBatchAsync_ptsz)                                                                                         \
    X(cuMemcpy3DBatchAsync_ptsz)                                                                                       \
    X(cuMemcpyBatchAsync_v2_ptsz)                                                                                      \
    X(cuMemcpy3DBatchAsync_v2_ptsz)

/* The copies that CUDA 13.2 added. The oldest toolkit with which xferspy can be built does not have their ids in its
 * headers. So the ids are found at run time: CUPTI is asked for the names of its ids from XS_CUPTI_FIRST_NEWER on. */
#define XS_CUPTI_NEWER_COPIES(X)                                                                                       \
    X(cuMemcpyWithAttributesAsync)                                                                                     \
    X(cuMemcpyWithAttributesAsync_ptsz)                                                                                \
    X(cuMemcpy3DWithAttributesAsync)                                                                                   \
    X(cuMemcpy3DWithAttributesAsync_ptsz)
#define XS_CUPTI_FIRST_NEWER 807u /* CUPTI_DRIVER_TRACE_CBID_SIZE of CUDA 13.0 */

#define XS_CUPTI_MEMSETS(X)                                                                                            \
    X(cuMemsetD8)                                                                                                      \
    X(cuMemsetD16)                                                                                                     \
    X(cuMemsetD32)                                                                                                     \
    X(cuMemsetD2D8)                                                                                                    \
    X(cuMemsetD2D16)                                                                                                   \
    X(cuMemsetD2D32)                                                                                                   \
    X(cuMemsetD8_v2)                                                                                                   \
    X(cuMemsetD16_v2)                                                                                                  \
    X(cuMemsetD32_v2)                                                                                                  \
    X(cuMemsetD2D8_v2)                                                                                                 \
    X(cuMemsetD2D16_v2)                                                                                                \
    X(cuMemsetD2D32_v2)                                                                                                \
    X(cuMemsetD8Async)                                                                                                 \
    X(cuMemsetD16Async)                                                                                                \
    X(cuMemsetD32Async)                                                                                                \
    X(cuMemsetD2D8Async)                                                                                               \
    X(cuMemsetD2D16Async)                                                                                              \
    X(cuMemsetD2D32Async)                                                                                              \
    X(cuMemsetD8_v2_ptds)                                                                                              \
    X(cuMemsetD16_v2_ptds)                                                                                             \
    X(cuMemsetD32_v2_ptds)                                                                                             \
    X(cuMemsetD2D8_v2_ptds)                                                                                            \
    X(cuMemsetD2D16_v2_ptds)                                                                                           \
    X(cuMemsetD2D32_v2_ptds)                                                                                           \
    X(cuMemsetD8Async_ptsz)                                                                                            \
    X(cuMemsetD16Async_ptsz)                                                                                           \
    X(cuMemsetD32Async_ptsz)                                                                                           \
    X(cuMemsetD2D8Async_ptsz)                                                                                          \
    X(cuMemsetD2D16Async_ptsz)                                                                                         \
    X(cuMemsetD2D32Async_ptsz)

/* Copies in a graph have the correlation id of the graph's launch. */
#define XS_CUPTI_GRAPH_LAUNCHES(X)                                                                                     \
    X(cuGraphLaunch)                                                                                                   \
    X(cuGraphLaunch_ptsz)

#define XS_CUPTI_KERNEL_LAUNCHES(X)                                                                                    \
    X(cuLaunch)                                                                                                        \
    X(cuLaunchGrid)                                                                                                    \
    X(cuLaunchGridAsync)                                                                                               \
    X(cuLaunchKernel)                                                                                                  \
    X(cuLaunchKernel_ptsz)                                                                                             \
    X(cuLaunchKernelEx)                                                                                                \
    X(cuLaunchKernelEx_ptsz)                                                                                           \
    X(cuLaunchCooperativeKernel)                                                                                       \
    X(cuLaunchCooperativeKernel_ptsz)                                                                                  \
    X(cuLaunchCooperativeKernelMultiDevice)

#endif
