/* Graphs. */
#include "cudart.h"

#include "cudart_copy_nd.h"

#define NODE_PARAMS                                                                                                    \
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t numDependencies
#define NODE_ARGS pGraphNode, graph, pDependencies, numDependencies

RT(cudaGraphCreate, (cudaGraph_t * pGraph, unsigned int flags), (pGraph, flags))
PASS_BODY(DRV(cuGraphCreate)(pGraph, flags))

RT(cudaGraphDestroy, (cudaGraph_t graph), (graph))
PASS_BODY(DRV(cuGraphDestroy)(graph))

RT(cudaGraphClone, (cudaGraph_t * pGraphClone, cudaGraph_t originalGraph), (pGraphClone, originalGraph))
PASS_BODY(DRV(cuGraphClone)(pGraphClone, originalGraph))

RT(cudaGraphInstantiate, (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
   (pGraphExec, graph, flags))
PASS_BODY(DRV(cuGraphInstantiateWithFlags)(pGraphExec, graph, flags))

RT(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
   (pGraphExec, graph, flags))
PASS_BODY(DRV(cuGraphInstantiateWithFlags)(pGraphExec, graph, flags))

RT_PTSZ(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))
PASS_BODY(DRV(cuGraphUpload)(graphExec, stream))

RT_PTSZ(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))
PASS_BODY(DRV(cuGraphLaunch)(graphExec, stream))

RT(cudaGraphExecDestroy, (cudaGraphExec_t graphExec), (graphExec))
PASS_BODY(DRV(cuGraphExecDestroy)(graphExec))

RT(cudaGraphExecUpdate, (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo *resultInfo),
   (hGraphExec, hGraph, resultInfo))
PASS_BODY(DRV(cuGraphExecUpdate)(hGraphExec, hGraph, (CUgraphExecUpdateResultInfo *)(void *)resultInfo))

RT(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes), (graph, nodes, numNodes))
PASS_BODY(DRV(cuGraphGetNodes)(graph, nodes, numNodes))

RT(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes),
   (graph, pRootNodes, pNumRootNodes))
PASS_BODY(DRV(cuGraphGetRootNodes)(graph, pRootNodes, pNumRootNodes))

RT(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *pType), (node, pType))
PASS_BODY(DRV(cuGraphNodeGetType)(node, (CUgraphNodeType *)pType))

RT(cudaGraphDestroyNode, (cudaGraphNode_t node), (node))
PASS_BODY(DRV(cuGraphDestroyNode)(node))

RT(cudaGraphAddDependencies,
   (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
    size_t numDependencies),
   (graph, from, to, edgeData, numDependencies))
PASS_BODY(DRV(cuGraphAddDependencies)(graph, from, to, (const CUgraphEdgeData *)(const void *)edgeData,
                                      numDependencies))

/* ---- nodes ---- */

static cudaError_t kernel_params(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to) {
    CUfunction function;
    if (from == NULL)
        return cudaErrorInvalidValue;
    TRY(xs_rt_function(from->func, &function));
    *to = (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                    .gridDimX = from->gridDim.x,
                                    .gridDimY = from->gridDim.y,
                                    .gridDimZ = from->gridDim.z,
                                    .blockDimX = from->blockDim.x,
                                    .blockDimY = from->blockDim.y,
                                    .blockDimZ = from->blockDim.z,
                                    .sharedMemBytes = from->sharedMemBytes,
                                    .kernelParams = from->kernelParams,
                                    .extra = from->extra};
    return cudaSuccess;
}

RT(cudaGraphAddKernelNode, (NODE_PARAMS, const struct cudaKernelNodeParams *pNodeParams), (NODE_ARGS, pNodeParams)) {
    CUDA_KERNEL_NODE_PARAMS params;
    TRY(kernel_params(pNodeParams, &params));
    return xs_rt_error(DRV(cuGraphAddKernelNode)(NODE_ARGS, &params));
}

RT(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams),
   (node, pNodeParams)) {
    CUDA_KERNEL_NODE_PARAMS params;
    TRY(kernel_params(pNodeParams, &params));
    return xs_rt_error(DRV(cuGraphKernelNodeSetParams)(node, &params));
}

RT(cudaGraphExecKernelNodeSetParams,
   (cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams),
   (hGraphExec, node, pNodeParams)) {
    CUDA_KERNEL_NODE_PARAMS params;
    TRY(kernel_params(pNodeParams, &params));
    return xs_rt_error(DRV(cuGraphExecKernelNodeSetParams)(hGraphExec, node, &params));
}

static cudaError_t add_copy(NODE_PARAMS, const CUDA_MEMCPY3D *box) {
    CUcontext current;
    TRY(xs_rt_error(DRV(cuCtxGetCurrent)(&current)));
    return xs_rt_error(DRV(cuGraphAddMemcpyNode)(NODE_ARGS, box, current));
}

RT(cudaGraphAddMemcpyNode, (NODE_PARAMS, const struct cudaMemcpy3DParms *pCopyParams), (NODE_ARGS, pCopyParams)) {
    CUDA_MEMCPY3D box;
    TRY(xs_rt_ready());
    TRY(xs_rt_box(pCopyParams, &box));
    return add_copy(NODE_ARGS, &box);
}

static cudaError_t line(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUDA_MEMCPY3D *box) {
    struct cudaMemcpy3DParms params = {.srcPtr = {(void *)src, count, count, 1},
                                       .dstPtr = {dst, count, count, 1},
                                       .extent = {count, 1, 1},
                                       .kind = kind};
    TRY(xs_rt_ready());
    return xs_rt_box(&params, box);
}

RT(cudaGraphAddMemcpyNode1D, (NODE_PARAMS, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
   (NODE_ARGS, dst, src, count, kind)) {
    CUDA_MEMCPY3D box;
    TRY(line(dst, src, count, kind, &box));
    return add_copy(NODE_ARGS, &box);
}

RT(cudaGraphMemcpyNodeSetParams1D,
   (cudaGraphNode_t node, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
   (node, dst, src, count, kind)) {
    CUDA_MEMCPY3D box;
    TRY(line(dst, src, count, kind, &box));
    return xs_rt_error(DRV(cuGraphMemcpyNodeSetParams)(node, &box));
}

RT(cudaGraphExecMemcpyNodeSetParams1D,
   (cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const void *src, size_t count,
    enum cudaMemcpyKind kind),
   (hGraphExec, node, dst, src, count, kind)) {
    CUDA_MEMCPY3D box;
    CUcontext current;
    TRY(line(dst, src, count, kind, &box));
    TRY(xs_rt_error(DRV(cuCtxGetCurrent)(&current)));
    return xs_rt_error(DRV(cuGraphExecMemcpyNodeSetParams)(hGraphExec, node, &box, current));
}

static CUDA_MEMSET_NODE_PARAMS memset_params(const struct cudaMemsetParams *from) {
    return (CUDA_MEMSET_NODE_PARAMS){(CUdeviceptr)from->dst, from->pitch, from->value,
                                     from->elementSize,      from->width, from->height};
}

RT(cudaGraphAddMemsetNode, (NODE_PARAMS, const struct cudaMemsetParams *pMemsetParams), (NODE_ARGS, pMemsetParams)) {
    CUcontext current;
    TRY(xs_rt_ready());
    if (pMemsetParams == NULL)
        return cudaErrorInvalidValue;
    CUDA_MEMSET_NODE_PARAMS params = memset_params(pMemsetParams);
    TRY(xs_rt_error(DRV(cuCtxGetCurrent)(&current)));
    return xs_rt_error(DRV(cuGraphAddMemsetNode)(NODE_ARGS, &params, current));
}

RT(cudaGraphAddHostNode, (NODE_PARAMS, const struct cudaHostNodeParams *pNodeParams), (NODE_ARGS, pNodeParams)) {
    TRY(xs_rt_ready());
    if (pNodeParams == NULL)
        return cudaErrorInvalidValue;
    CUDA_HOST_NODE_PARAMS params = {.fn = pNodeParams->fn, .userData = pNodeParams->userData};
    return xs_rt_error(DRV(cuGraphAddHostNode)(NODE_ARGS, &params));
}

RT(cudaGraphAddEmptyNode, (NODE_PARAMS), (NODE_ARGS))
PASS_BODY(DRV(cuGraphAddEmptyNode)(NODE_ARGS))

RT(cudaGraphAddChildGraphNode, (NODE_PARAMS, cudaGraph_t childGraph), (NODE_ARGS, childGraph))
PASS_BODY(DRV(cuGraphAddChildGraphNode)(NODE_ARGS, childGraph))

RT(cudaGraphAddEventRecordNode, (NODE_PARAMS, cudaEvent_t event), (NODE_ARGS, event))
PASS_BODY(DRV(cuGraphAddEventRecordNode)(NODE_ARGS, event))

RT(cudaGraphAddEventWaitNode, (NODE_PARAMS, cudaEvent_t event), (NODE_ARGS, event))
PASS_BODY(DRV(cuGraphAddEventWaitNode)(NODE_ARGS, event))

RT(cudaGraphNodeSetEnabled, (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled),
   (hGraphExec, hNode, isEnabled))
PASS_BODY(DRV(cuGraphNodeSetEnabled)(hGraphExec, hNode, isEnabled))
