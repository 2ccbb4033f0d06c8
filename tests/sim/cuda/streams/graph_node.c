/* The kinds of graph nodes: adding each, and getting and setting its parameters. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static CUresult add(CUgraphNode *out, CUgraph graph, CUgraphNodeType type, struct xs_op *op,
                    const CUgraphNode *dependencies, size_t count) {
    if (out == NULL || graph == NULL || (dependencies == NULL && count > 0)) {
        xs_op_free(op);
        return CUDA_ERROR_INVALID_VALUE;
    }
    xs_queue_lock();
    *out = xs_graph_append_locked(graph, type, op, dependencies, count);
    xs_queue_unlock();
    return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Fills op with fn(op, params) and adds it. */
#define FILL(op, kind, call)                                                                                           \
    struct xs_op *op = xs_op_new(kind);                                                                                \
    if (op == NULL)                                                                                                    \
        return CUDA_ERROR_OUT_OF_MEMORY;                                                                               \
    CUresult result = call;                                                                                            \
    if (result != CUDA_SUCCESS) {                                                                                      \
        xs_op_free(op);                                                                                                \
        return result;                                                                                                 \
    }

/* ---- kernels ---- */

CUresult xs_graph_node_kernel(struct xs_op *op, const CUDA_KERNEL_NODE_PARAMS *params) {
    if (params == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const unsigned grid[3] = {params->gridDimX, params->gridDimY, params->gridDimZ};
    const unsigned block[3] = {params->blockDimX, params->blockDimY, params->blockDimZ};
    CUfunction function = params->func != NULL ? params->func : (CUfunction)params->kern;
    struct xs_launch_op made;
    CUresult result =
        xs_launch_prepare(function, grid, block, params->sharedMemBytes, params->kernelParams, params->extra, &made);
    if (result == CUDA_SUCCESS) {
        free(op->launch.arguments);
        op->launch = made;
    }
    return result;
}

CUresult xs_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    FILL(op, XS_OP_KERNEL, xs_graph_node_kernel(op, nodeParams))
    return add(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_KERNEL, op, dependencies, numDependencies);
}

CUresult xs_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    if (hNode == NULL || nodeParams == NULL || hNode->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_ERROR_INVALID_VALUE;
    const struct xs_launch_op *launch = &hNode->op->launch;
    xs_queue_lock();
    void **pointers = realloc(hNode->kernel_pointers, (launch->function->parameter_count + 1) * sizeof(*pointers));
    if (pointers != NULL) {
        hNode->kernel_pointers = pointers;
        for (size_t i = 0; i < launch->function->parameter_count; i++)
            pointers[i] = launch->arguments + launch->function->parameters[i].offset;
    }
    xs_queue_unlock();
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS){.func = launch->function,
                                            .gridDimX = launch->grid[0],
                                            .gridDimY = launch->grid[1],
                                            .gridDimZ = launch->grid[2],
                                            .blockDimX = launch->block[0],
                                            .blockDimY = launch->block[1],
                                            .blockDimZ = launch->block[2],
                                            .sharedMemBytes = launch->shared_bytes,
                                            .kernelParams = pointers};
    return pointers != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult xs_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    if (hNode == NULL || hNode->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_ERROR_INVALID_VALUE;
    return xs_graph_node_kernel(hNode->op, nodeParams);
}

/* ---- copies ---- */

CUresult xs_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    (void)ctx;
    FILL(op, XS_OP_COPY, xs_copy_from_3d(copyParams, &op->copy))
    op->copy.is_async = true;
    result = add(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_MEMCPY, op, dependencies, numDependencies);
    if (result == CUDA_SUCCESS) {
        (*phGraphNode)->copy_params = *copyParams;
        (*phGraphNode)->has_copy_params = true;
    }
    return result;
}

CUresult xs_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams) {
    if (hNode == NULL || nodeParams == NULL || hNode->type != CU_GRAPH_NODE_TYPE_MEMCPY)
        return CUDA_ERROR_INVALID_VALUE;
    if (hNode->has_copy_params)
        *nodeParams = hNode->copy_params;
    else
        xs_copy_to_3d(&hNode->op->copy, nodeParams);
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
    struct xs_copy copy;
    if (hNode == NULL || hNode->type != CU_GRAPH_NODE_TYPE_MEMCPY)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_copy_from_3d(nodeParams, &copy);
    if (result != CUDA_SUCCESS)
        return result;
    copy.is_async = true;
    hNode->op->copy = copy;
    hNode->copy_params = *nodeParams;
    hNode->has_copy_params = true;
    return CUDA_SUCCESS;
}

/* ---- memory sets ---- */

CUresult xs_graph_node_memset(struct xs_op *op, const CUDA_MEMSET_NODE_PARAMS *params) {
    if (params == NULL || (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_set_from(params->dst, params->pitch, params->elementSize, params->value, params->width,
                                  params->height, &op->set);
    op->set.is_async = true;
    return result;
}

CUresult xs_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
    (void)ctx;
    FILL(op, XS_OP_SET, xs_graph_node_memset(op, memsetParams))
    return add(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_MEMSET, op, dependencies, numDependencies);
}

CUresult xs_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    if (hNode == NULL || nodeParams == NULL || hNode->type != CU_GRAPH_NODE_TYPE_MEMSET)
        return CUDA_ERROR_INVALID_VALUE;
    const struct xs_set *set = &hNode->op->set;
    *nodeParams = (CUDA_MEMSET_NODE_PARAMS){.dst = (CUdeviceptr)set->dst.base,
                                            .pitch = set->dst.pitch,
                                            .value = set->value,
                                            .elementSize = set->element,
                                            .width = set->width,
                                            .height = set->height};
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    if (hNode == NULL || hNode->type != CU_GRAPH_NODE_TYPE_MEMSET)
        return CUDA_ERROR_INVALID_VALUE;
    return xs_graph_node_memset(hNode->op, nodeParams);
}

/* ---- the rest ---- */

CUresult xs_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                               size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    FILL(op, XS_OP_HOST, nodeParams != NULL && nodeParams->fn != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)
    op->host.fn = nodeParams->fn;
    op->host.data = nodeParams->userData;
    return add(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_HOST, op, dependencies, numDependencies);
}

CUresult xs_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams) {
    if (hNode == NULL || nodeParams == NULL || hNode->type != CU_GRAPH_NODE_TYPE_HOST || hNode->op->kind != XS_OP_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = (CUDA_HOST_NODE_PARAMS){.fn = hNode->op->host.fn, .userData = hNode->op->host.data};
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                     size_t numDependencies, CUgraph childGraph) {
    if (childGraph == NULL || childGraph == hGraph)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = add(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_GRAPH, NULL, dependencies, numDependencies);
    if (result != CUDA_SUCCESS)
        return result;
    xs_queue_lock();
    (*phGraphNode)->child = xs_graph_clone_locked(childGraph);
    xs_queue_unlock();
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph) {
    if (hNode == NULL || phGraph == NULL || hNode->type != CU_GRAPH_NODE_TYPE_GRAPH)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = hNode->child;
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                size_t numDependencies) {
    return add(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_EMPTY, NULL, dependencies, numDependencies);
}

static CUresult add_event(CUgraphNode *out, CUgraph graph, CUgraphNodeType type, enum xs_op_kind kind,
                          const CUgraphNode *dependencies, size_t count, CUevent event) {
    FILL(op, kind, event != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)
    op->record.event = event;
    xs_queue_lock();
    xs_event_ref_locked(event);
    xs_queue_unlock();
    return add(out, graph, type, op, dependencies, count);
}

CUresult xs_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, CUevent event) {
    return add_event(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_EVENT_RECORD, XS_OP_RECORD, dependencies, numDependencies,
                     event);
}

CUresult xs_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies, CUevent event) {
    return add_event(phGraphNode, hGraph, CU_GRAPH_NODE_TYPE_WAIT_EVENT, XS_OP_WAIT, dependencies, numDependencies,
                     event);
}

static CUresult event_of(CUgraphNode node, CUgraphNodeType type, CUevent *out) {
    if (node == NULL || out == NULL || node->type != type)
        return CUDA_ERROR_INVALID_VALUE;
    *out = node->op->record.event;
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
    return event_of(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);
}

CUresult xs_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
    return event_of(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);
}

CUresult xs_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                           size_t numDependencies, CUgraphNodeParams *nodeParams) {
    CUgraphNodeParams *p = nodeParams;
    if (p == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS params; /* of the same layout under an older name */
        memcpy(&params, &p->kernel, sizeof(params));
        return xs_cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, &params);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return xs_cuGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies, &p->memcpy.copyParams,
                                       p->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS params = {p->memset.dst,         p->memset.pitch, p->memset.value,
                                          p->memset.elementSize, p->memset.width, p->memset.height};
        return xs_cuGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, &params, p->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        CUDA_HOST_NODE_PARAMS params = {.fn = p->host.fn, .userData = p->host.userData};
        return xs_cuGraphAddHostNode(phGraphNode, hGraph, dependencies, numDependencies, &params);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return xs_cuGraphAddChildGraphNode(phGraphNode, hGraph, dependencies, numDependencies, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return xs_cuGraphAddEmptyNode(phGraphNode, hGraph, dependencies, numDependencies);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return xs_cuGraphAddEventWaitNode(phGraphNode, hGraph, dependencies, numDependencies, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return xs_cuGraphAddEventRecordNode(phGraphNode, hGraph, dependencies, numDependencies, p->eventRecord.event);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult xs_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              const CUgraphEdgeData *dependencyData, size_t numDependencies,
                              CUgraphNodeParams *nodeParams) {
    (void)dependencyData;
    return xs_cuGraphAddNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}
