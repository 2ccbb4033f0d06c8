/* Stream capture: which streams are part of one, what is forbidden meanwhile, and what becomes of it. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static struct xs_capture *captures; /* the captures in progress; protected by the queue lock */
static uint64_t capture_ids;
static atomic_uint capture_count; /* how many those are, for who must not take the lock */

bool xs_capturing(void) { return atomic_load(&capture_count) > 0; }

void xs_capture_unref_locked(struct xs_capture *capture) {
    if (--capture->refs > 0)
        return;
    free(capture->members);
    free(capture);
}

/* ---- what a capture forbids ---- */

/* cuThreadExchangeStreamCaptureMode's rules: a thread's own captures forbid unsafe calls unless relaxed, another
 * thread's only if both that capture and this thread are in global mode. */
CUresult xs_capture_unsafe(void) {
    struct xs_thread *thread = xs_thread();
    CUresult result = CUDA_SUCCESS;
    if (thread->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return result;
    xs_queue_lock();
    for (struct xs_capture *capture = captures; capture != NULL; capture = capture->next) {
        bool own = capture->owner == thread->capture_owner;
        bool forbids = own ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                           : capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                 thread->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (!forbids)
            continue;
        capture->invalidated = true;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    xs_queue_unlock();
    return result;
}

CUresult xs_capture_implicit_locked(struct CUstream_st *stream) {
    CUresult result = CUDA_SUCCESS;
    if (!stream->is_legacy || captures == NULL)
        return result;
    for (struct CUstream_st *other = stream->context->streams; other != NULL; other = other->next) {
        if (other->capture == NULL || other->non_blocking)
            continue;
        other->capture->invalidated = true;
        result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    return result;
}

CUresult xs_capture_check_sync(struct CUstream_st *stream) {
    xs_queue_lock();
    CUresult result = xs_capture_implicit_locked(stream);
    if (stream->capture != NULL) {
        stream->capture->invalidated = true;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    xs_queue_unlock();
    return result;
}

CUresult xs_capture_check_context(struct CUctx_st *context) {
    CUresult result = CUDA_SUCCESS;
    xs_queue_lock();
    for (struct xs_capture *capture = captures; capture != NULL; capture = capture->next) {
        if (capture->origin->context != context)
            continue;
        capture->invalidated = true;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    xs_queue_unlock();
    return result;
}

/* ---- membership and dependencies ---- */

static bool set_nodes(CUgraphNode **nodes, size_t *count, const CUgraphNode *from, size_t from_count, bool add) {
    size_t kept = add ? *count : 0;
    CUgraphNode *grown = realloc(*nodes, (kept + from_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    *nodes = grown;
    *count = kept;
    for (size_t i = 0; i < from_count; i++) {
        bool present = false;
        for (size_t j = 0; j < *count; j++)
            present |= grown[j] == from[i];
        if (!present)
            grown[(*count)++] = from[i];
    }
    return true;
}

static bool join_locked(struct xs_capture *capture, struct CUstream_st *stream) {
    struct CUstream_st **grown = realloc(capture->members, (capture->member_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    capture->members = grown;
    capture->members[capture->member_count++] = stream;
    xs_stream_ref_locked(stream);
    stream->capture = capture;
    capture->refs++;
    stream->capture_tail_count = 0;
    return true;
}

CUresult xs_capture_add_locked(struct CUstream_st *stream, struct xs_op *op) {
    static const CUgraphNodeType types[] = {
        [XS_OP_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,         [XS_OP_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [XS_OP_SET] = CU_GRAPH_NODE_TYPE_MEMSET,          [XS_OP_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
        [XS_OP_HOST] = CU_GRAPH_NODE_TYPE_HOST,           [XS_OP_CALLBACK] = CU_GRAPH_NODE_TYPE_HOST,
        [XS_OP_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD, [XS_OP_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        [XS_OP_MEM] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,    [XS_OP_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        [XS_OP_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE};
    struct xs_capture *capture = stream->capture;
    if (capture->invalidated || op->kind == XS_OP_MIGRATE) {
        CUresult result =
            capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        capture->invalidated = true;
        xs_op_free(op);
        return result;
    }
    CUgraphNode node =
        xs_graph_append_locked(capture->graph, types[op->kind], op, stream->capture_tail, stream->capture_tail_count);
    if (node == NULL || !set_nodes(&stream->capture_tail, &stream->capture_tail_count, &node, 1, false))
        return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

void xs_capture_record_event_locked(struct CUstream_st *stream, struct CUevent_st *event) {
    if (event->capture != NULL)
        xs_capture_unref_locked(event->capture);
    event->capture = stream->capture;
    event->capture->refs++;
    event->capture_node_count = 0;
    set_nodes(&event->capture_nodes, &event->capture_node_count, stream->capture_tail, stream->capture_tail_count,
              false);
}

CUresult xs_capture_wait_event_locked(struct CUstream_st *stream, struct CUevent_st *event) {
    struct xs_capture *capture = event->capture;
    if (capture == NULL) {
        stream->capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (capture->ended)
        return CUDA_ERROR_INVALID_VALUE;
    if (capture->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream->capture != NULL && stream->capture != capture) {
        stream->capture->invalidated = capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (stream->is_legacy) {
        capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (stream->capture == NULL && !join_locked(capture, stream))
        return CUDA_ERROR_OUT_OF_MEMORY;
    return set_nodes(&stream->capture_tail, &stream->capture_tail_count, event->capture_nodes,
                     event->capture_node_count, true)
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- begin and end ---- */

static CUresult begin(CUstream handle, CUstreamCaptureMode mode, struct CUgraph_st *graph,
                      const CUgraphNode *dependencies, size_t count) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->is_legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_capture *capture = calloc(1, sizeof(*capture));
    struct CUgraph_st *target = graph != NULL ? graph : xs_graph_new();
    if (capture == NULL || target == NULL) {
        free(capture);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    xs_queue_lock();
    if (stream->capture != NULL) {
        if (graph == NULL)
            xs_graph_free_locked(target);
        free(capture);
        xs_queue_unlock();
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    *capture = (struct xs_capture){.graph = target,
                                   .origin = stream,
                                   .id = ++capture_ids,
                                   .mode = mode,
                                   .owner = xs_thread()->capture_owner,
                                   .borrowed_graph = graph != NULL,
                                   .refs = 1,
                                   .next = captures};
    captures = capture;
    atomic_fetch_add(&capture_count, 1);
    join_locked(capture, stream);
    set_nodes(&stream->capture_tail, &stream->capture_tail_count, dependencies, count, false);
    xs_queue_unlock();
    return CUDA_SUCCESS;
}

CUresult xs_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
    return begin(hStream, mode, NULL, NULL, 0);
}

CUresult xs_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                        const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                        CUstreamCaptureMode mode) {
    (void)dependencyData;
    return hGraph == NULL ? CUDA_ERROR_INVALID_VALUE : begin(hStream, mode, hGraph, dependencies, numDependencies);
}

/* Every other member's last work must lead into the origin's. A node's dependencies were made before it, so that one
 * pass back through the graph finds all that the origin depends on. */
static bool joined_locked(const struct xs_capture *capture) {
    size_t count = capture->graph->node_count, i;
    struct CUgraphNode_st **nodes = malloc((count + 1) * sizeof(*nodes));
    if (nodes == NULL)
        return false;
    i = 0;
    for (struct CUgraphNode_st *node = capture->graph->nodes; node != NULL; node = node->next) {
        node->mark = 0;
        nodes[i++] = node;
    }
    for (size_t t = 0; t < capture->origin->capture_tail_count; t++)
        capture->origin->capture_tail[t]->mark = 1;
    while (i-- > 0)
        for (size_t d = 0; nodes[i]->mark && d < nodes[i]->dependency_count; d++)
            nodes[i]->dependencies[d]->mark = 1;
    free(nodes);
    for (size_t m = 0; m < capture->member_count; m++)
        for (size_t t = 0; t < capture->members[m]->capture_tail_count; t++)
            if (!capture->members[m]->capture_tail[t]->mark)
                return false;
    return true;
}

static void dissolve_locked(struct xs_capture *capture) {
    struct xs_capture **link = &captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    atomic_fetch_sub(&capture_count, 1);
    capture->ended = true;
    for (size_t i = 0; i < capture->member_count; i++) {
        capture->members[i]->capture = NULL;
        capture->members[i]->capture_tail_count = 0;
        xs_stream_unref_locked(capture->members[i]);
        capture->refs--;
    }
    capture->member_count = 0;
    xs_capture_unref_locked(capture);
}

CUresult xs_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (phGraph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    struct xs_capture *capture = stream->capture;
    if (capture == NULL)
        result = CUDA_ERROR_ILLEGAL_STATE;
    else if (capture->origin != stream)
        result = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    else if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->owner != xs_thread()->capture_owner)
        result = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (result != CUDA_SUCCESS) {
        if (capture != NULL)
            capture->invalidated = true;
        xs_queue_unlock();
        return result;
    }
    if (capture->invalidated)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!joined_locked(capture))
        result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    *phGraph = result == CUDA_SUCCESS ? capture->graph : NULL;
    if (result != CUDA_SUCCESS && !capture->borrowed_graph)
        xs_graph_free_locked(capture->graph);
    dissolve_locked(capture);
    xs_queue_unlock();
    return result;
}

void xs_capture_abandon(struct CUstream_st *stream) {
    xs_queue_lock();
    struct xs_capture *capture = stream->capture;
    if (capture != NULL && capture->origin != stream)
        capture->invalidated = true;
    if (capture != NULL && capture->origin == stream) {
        if (!capture->borrowed_graph)
            xs_graph_free_locked(capture->graph);
        dissolve_locked(capture);
    }
    xs_queue_unlock();
}

CUresult xs_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    if (mode == NULL || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_thread *thread = xs_thread();
    CUstreamCaptureMode before = thread->capture_mode;
    thread->capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

/* ---- queries ---- */

CUresult xs_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                      CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                      const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out) {
    struct CUstream_st *stream;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (captureStatus_out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    struct xs_capture *capture = stream->capture;
    if (stream->is_legacy) {
        /* Asking about the legacy stream is an error while a blocking stream captures, but harms no capture. */
        for (struct CUstream_st *other = stream->context->streams; other != NULL; other = other->next)
            if (other->capture != NULL && !other->non_blocking)
                result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    *captureStatus_out = capture == NULL        ? CU_STREAM_CAPTURE_STATUS_NONE
                         : capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                                : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (capture != NULL && !capture->invalidated) {
        if (id_out != NULL)
            *id_out = capture->id;
        if (graph_out != NULL)
            *graph_out = capture->graph;
        if (dependencies_out != NULL)
            *dependencies_out = stream->capture_tail;
        if (edgeData_out != NULL)
            *edgeData_out = NULL;
        if (numDependencies_out != NULL)
            *numDependencies_out = stream->capture_tail_count;
    }
    xs_queue_unlock();
    return result;
}

CUresult xs_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                      CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                      size_t *numDependencies_out) {
    return xs_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
                                        numDependencies_out);
}

CUresult xs_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out) {
    return xs_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, NULL, NULL, NULL, NULL);
}

CUresult xs_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
    return xs_cuStreamGetCaptureInfo_v3(hStream, captureStatus, NULL, NULL, NULL, NULL, NULL);
}

CUresult xs_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                 const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                                 unsigned int flags) {
    struct CUstream_st *stream;
    (void)dependencyData;
    CUresult result = xs_stream_of(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (dependencies == NULL && numDependencies > 0))
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    if (stream->capture == NULL)
        result = CUDA_ERROR_ILLEGAL_STATE;
    else if (!set_nodes(&stream->capture_tail, &stream->capture_tail_count, dependencies, numDependencies,
                        flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    xs_queue_unlock();
    return result;
}

CUresult xs_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
                                              unsigned int flags) {
    return xs_cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL, numDependencies, flags);
}
