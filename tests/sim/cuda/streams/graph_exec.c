/* Executable graphs: instantiation, launch and update. A launch queues every node on the one stream, in an order that
 * respects the edges; branches do not run side by side. */
#include "sim.h"

#include <stdlib.h>

/* Brings the nodes into an order in which dependencies come first; false where they form a circle. */
static bool order_nodes(struct CUgraph_st *graph) {
    struct CUgraphNode_st *sorted = NULL, **end = &sorted;
    for (struct CUgraphNode_st *node = graph->nodes; node != NULL; node = node->next)
        node->mark = 0;
    while (graph->nodes != NULL) {
        struct CUgraphNode_st **link = &graph->nodes;
        for (; *link != NULL; link = &(*link)->next) {
            bool ready = true;
            for (size_t i = 0; i < (*link)->dependency_count; i++)
                ready &= (*link)->dependencies[i]->mark != 0;
            if (ready)
                break;
        }
        struct CUgraphNode_st *node = *link;
        if (node == NULL) {
            *end = graph->nodes;
            graph->nodes = sorted;
            return false;
        }
        *link = node->next;
        node->next = NULL;
        node->mark = 1;
        *end = node;
        end = &node->next;
    }
    graph->nodes = sorted;
    graph->tail = end;
    return true;
}

static CUresult instantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
    if (out == NULL || graph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphExec_st *exec = xs_handle_new(sizeof(*exec));
    if (exec == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    xs_queue_lock();
    exec->graph = xs_graph_clone_locked(graph);
    bool ordered = exec->graph != NULL && order_nodes(exec->graph);
    if (!ordered && exec->graph != NULL)
        xs_graph_free_locked(exec->graph);
    xs_queue_unlock();
    if (!ordered) {
        xs_handle_free(exec);
        return CUDA_ERROR_INVALID_VALUE;
    }
    exec->id = xs_graph_next_id();
    exec->flags = flags;
    *out = exec;
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                                  size_t bufferSize) {
    if (phErrorNode != NULL)
        *phErrorNode = NULL;
    if (logBuffer != NULL && bufferSize > 0)
        logBuffer[0] = '\0';
    return instantiate(phGraphExec, hGraph, 0);
}

CUresult xs_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags) {
    return instantiate(phGraphExec, hGraph, flags);
}

CUresult xs_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                         CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
    if (instantiateParams == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = instantiate(phGraphExec, hGraph, instantiateParams->flags);
    instantiateParams->hErrNode_out = NULL;
    instantiateParams->result_out =
        result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return result;
}

CUresult xs_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
    if (hGraphExec == NULL || flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = hGraphExec->flags;
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
    struct CUstream_st *stream;
    return hGraphExec == NULL ? CUDA_ERROR_INVALID_VALUE : xs_stream_of(hStream, &stream);
}

static void launch_nodes_locked(struct CUstream_st *stream, struct CUgraph_st *graph, uint32_t graph_id) {
    for (struct CUgraphNode_st *node = graph->nodes; node != NULL; node = node->next) {
        if (node->child != NULL && order_nodes(node->child))
            launch_nodes_locked(stream, node->child, graph_id);
        if (node->op == NULL || node->op->disabled)
            continue;
        struct xs_op *op = xs_op_clone(node->op);
        if (op == NULL)
            continue;
        op->graph_id = graph_id;
        op->graph_node_id = node->id;
        if (op->kind == XS_OP_RECORD) {
            xs_event_record_locked(op->record.event, stream, op);
            continue;
        }
        if (op->kind == XS_OP_WAIT)
            xs_depend_locked(op, op->record.event->stream, op->record.event->sequence);
        xs_enqueue_locked(stream, op);
    }
}

/* The copies of a graph read and write pageable memory when they run, so that the launch has to wait for them, as the
 * driver's does. */
static bool has_pageable_locked(const struct CUgraph_st *graph) {
    for (const struct CUgraphNode_st *node = graph->nodes; node != NULL; node = node->next) {
        const struct xs_op *op = node->op;
        if (node->child != NULL && has_pageable_locked(node->child))
            return true;
        if (op != NULL && op->kind == XS_OP_COPY && !op->disabled &&
            (op->copy.src.kind == XS_PAGEABLE || op->copy.dst.kind == XS_PAGEABLE))
            return true;
    }
    return false;
}

CUresult xs_cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (hGraphExec == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    result = xs_capture_implicit_locked(stream);
    if (result == CUDA_SUCCESS && stream->capture != NULL) {
        struct xs_op *op = xs_op_new(XS_OP_EMPTY);
        result = op == NULL ? CUDA_ERROR_OUT_OF_MEMORY : xs_capture_add_locked(stream, op);
        if (result == CUDA_SUCCESS) {
            stream->capture_tail[0]->type = CU_GRAPH_NODE_TYPE_GRAPH;
            stream->capture_tail[0]->child = xs_graph_clone_locked(hGraphExec->graph);
        }
    } else if (result == CUDA_SUCCESS) {
        launch_nodes_locked(stream, hGraphExec->graph, hGraphExec->id);
        if (has_pageable_locked(hGraphExec->graph))
            xs_wait_locked(stream, stream->submitted);
    }
    xs_queue_unlock();
    return result;
}

CUresult xs_cuGraphExecDestroy(CUgraphExec hGraphExec) {
    if (hGraphExec == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    xs_graph_free_locked(hGraphExec->graph);
    xs_queue_unlock();
    xs_handle_free(hGraphExec);
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo) {
    if (hGraphExec == NULL || hGraph == NULL || resultInfo == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *resultInfo = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    xs_queue_lock();
    struct CUgraph_st *clone = xs_graph_clone_locked(hGraph);
    bool ordered = clone != NULL && order_nodes(clone);
    struct CUgraphNode_st *before = hGraphExec->graph->nodes, *after = ordered ? clone->nodes : NULL;
    while (before != NULL && after != NULL && before->type == after->type &&
           before->dependency_count == after->dependency_count) {
        before = before->next;
        after = after->next;
    }
    bool same = ordered && before == NULL && after == NULL;
    if (same) {
        xs_graph_free_locked(hGraphExec->graph);
        hGraphExec->graph = clone;
    } else if (clone != NULL) {
        xs_graph_free_locked(clone);
    }
    xs_queue_unlock();
    if (!same)
        resultInfo->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return same ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

/* ---- changing single nodes, which the caller names by the graph that was instantiated ---- */

static struct CUgraphNode_st *node_in(CUgraphExec exec, CUgraphNode original) {
    struct CUgraphNode_st *node = exec != NULL && original != NULL ? exec->graph->nodes : NULL;
    while (node != NULL && node->original != original)
        node = node->next;
    return node;
}

CUresult xs_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                              const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    xs_queue_lock();
    CUgraphNode node = node_in(hGraphExec, hNode);
    CUresult result = xs_cuGraphKernelNodeSetParams_v2(node, nodeParams);
    xs_queue_unlock();
    return result;
}

CUresult xs_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams,
                                           CUcontext ctx) {
    (void)ctx;
    xs_queue_lock();
    CUgraphNode node = node_in(hGraphExec, hNode);
    CUresult result = xs_cuGraphMemcpyNodeSetParams(node, copyParams);
    xs_queue_unlock();
    return result;
}

CUresult xs_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
    (void)ctx;
    xs_queue_lock();
    CUgraphNode node = node_in(hGraphExec, hNode);
    CUresult result = xs_cuGraphMemsetNodeSetParams(node, memsetParams);
    xs_queue_unlock();
    return result;
}

CUresult xs_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
    xs_queue_lock();
    CUgraphNode node = node_in(hGraphExec, hNode);
    bool possible = node != NULL && node->op != NULL &&
                    (node->type == CU_GRAPH_NODE_TYPE_KERNEL || node->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                     node->type == CU_GRAPH_NODE_TYPE_MEMSET);
    if (possible)
        node->op->disabled = isEnabled == 0;
    xs_queue_unlock();
    return possible ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult xs_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled) {
    xs_queue_lock();
    CUgraphNode node = node_in(hGraphExec, hNode);
    if (node != NULL && isEnabled != NULL)
        *isEnabled = node->op == NULL || !node->op->disabled;
    xs_queue_unlock();
    return node != NULL && isEnabled != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
