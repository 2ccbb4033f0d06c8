/* Graphs: their structure. Nodes are listed in the order they were made; everything is under the queue lock. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint32_t graph_ids;
static _Atomic uint64_t node_ids;

uint32_t xs_graph_next_id(void) { return atomic_fetch_add(&graph_ids, 1) + 1; }

struct CUgraph_st *xs_graph_new(void) {
    struct CUgraph_st *graph = xs_handle_new(sizeof(*graph));
    if (graph == NULL)
        return NULL;
    graph->id = xs_graph_next_id();
    graph->tail = &graph->nodes;
    return graph;
}

static void report_node(struct CUgraphNode_st *node) {
    const struct xs_sim_tools *tools = xs_tools();
    if (tools != NULL && tools->node != NULL)
        tools->node(node->graph, node, node->type, node->original);
}

static struct CUgraphNode_st *append(struct CUgraph_st *graph, CUgraphNodeType type, struct xs_op *op,
                                     CUgraphNode const *dependencies, size_t count, struct CUgraphNode_st *original) {
    struct CUgraphNode_st *node = calloc(1, sizeof(*node));
    CUgraphNode *copy = malloc((count + 1) * sizeof(*copy));
    if (node == NULL || copy == NULL) {
        free(node);
        free(copy);
        xs_op_free(op);
        return NULL;
    }
    if (count > 0)
        memcpy(copy, dependencies, count * sizeof(*copy));
    node->graph = graph;
    node->id = atomic_fetch_add(&node_ids, 1) + 1;
    node->type = type;
    node->op = op;
    node->dependencies = copy;
    node->dependency_count = count;
    node->original = original;
    *graph->tail = node;
    graph->tail = &node->next;
    graph->node_count++;
    report_node(node);
    return node;
}

struct CUgraphNode_st *xs_graph_append_locked(struct CUgraph_st *graph, CUgraphNodeType type, struct xs_op *op,
                                              CUgraphNode const *dependencies, size_t count) {
    return append(graph, type, op, dependencies, count, NULL);
}

static void free_node(struct CUgraphNode_st *node) {
    if (node->op != NULL && (node->op->kind == XS_OP_RECORD || node->op->kind == XS_OP_WAIT) &&
        node->op->record.event != NULL)
        xs_event_unref_locked(node->op->record.event);
    xs_op_free(node->op);
    if (node->child != NULL)
        xs_graph_free_locked(node->child);
    free(node->kernel_pointers);
    free(node->dependencies);
    free(node);
}

void xs_graph_free_locked(struct CUgraph_st *graph) {
    while (graph->nodes != NULL) {
        struct CUgraphNode_st *node = graph->nodes;
        graph->nodes = node->next;
        free_node(node);
    }
    xs_handle_free(graph);
}

static struct CUgraphNode_st *clone_of(const struct CUgraph_st *clone, const struct CUgraphNode_st *original) {
    struct CUgraphNode_st *node = clone->nodes;
    while (node != NULL && node->original != original)
        node = node->next;
    return node;
}

struct CUgraph_st *xs_graph_clone_locked(const struct CUgraph_st *graph) {
    struct CUgraph_st *clone = xs_graph_new();
    struct CUgraphNode_st *node;
    if (clone == NULL)
        return NULL;
    for (node = graph->nodes; node != NULL; node = node->next) {
        struct xs_op *op = node->op != NULL ? xs_op_clone(node->op) : NULL;
        struct CUgraphNode_st *copy = append(clone, node->type, op, node->dependencies, node->dependency_count, node);
        if (copy == NULL)
            break;
        if (op != NULL && (op->kind == XS_OP_RECORD || op->kind == XS_OP_WAIT))
            xs_event_ref_locked(op->record.event);
        copy->copy_params = node->copy_params;
        copy->has_copy_params = node->has_copy_params;
        copy->child = node->child != NULL ? xs_graph_clone_locked(node->child) : NULL;
    }
    for (node = clone->nodes; node != NULL; node = node->next)
        for (size_t i = 0; i < node->dependency_count; i++)
            node->dependencies[i] = clone_of(clone, node->dependencies[i]);
    return clone;
}

CUresult xs_cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
    if (phGraph == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = xs_graph_new();
    return *phGraph != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult xs_cuGraphDestroy(CUgraph hGraph) {
    if (hGraph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    xs_graph_free_locked(hGraph);
    xs_queue_unlock();
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
    if (phGraphClone == NULL || originalGraph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    *phGraphClone = xs_graph_clone_locked(originalGraph);
    xs_queue_unlock();
    return *phGraphClone != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult xs_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
    if (phNode == NULL || hOriginalNode == NULL || hClonedGraph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    *phNode = clone_of(hClonedGraph, hOriginalNode);
    xs_queue_unlock();
    return *phNode != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult xs_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
    if (hNode == NULL || type == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *type = hNode->type;
    return CUDA_SUCCESS;
}

/* Implements the two-call convention: without a list the number is returned; with a list as many items as fit, and NULL
 * for the rest. */
struct listing {
    CUgraphNode *out;
    size_t room, found;
};

static void list(struct listing *listing, CUgraphNode node) {
    if (listing->out != NULL && listing->found < listing->room)
        listing->out[listing->found] = node;
    listing->found++;
}

static CUresult finish(struct listing *listing, size_t *count) {
    for (size_t i = listing->found; listing->out != NULL && i < listing->room; i++)
        listing->out[i] = NULL;
    *count = listing->found;
    return CUDA_SUCCESS;
}

static CUresult list_nodes(CUgraph graph, CUgraphNode *nodes, size_t *count, bool roots) {
    if (graph == NULL || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct listing listing = {nodes, *count, 0};
    xs_queue_lock();
    for (struct CUgraphNode_st *node = graph->nodes; node != NULL; node = node->next)
        if (!roots || node->dependency_count == 0)
            list(&listing, node);
    xs_queue_unlock();
    return finish(&listing, count);
}

CUresult xs_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
    return list_nodes(hGraph, nodes, numNodes, false);
}

CUresult xs_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
    return list_nodes(hGraph, rootNodes, numRootNodes, true);
}

CUresult xs_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
                                          size_t *numDependencies) {
    if (hNode == NULL || numDependencies == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct listing listing = {dependencies, *numDependencies, 0};
    if (edgeData != NULL)
        memset(edgeData, 0, *numDependencies * sizeof(*edgeData));
    xs_queue_lock();
    for (size_t i = 0; i < hNode->dependency_count; i++)
        list(&listing, hNode->dependencies[i]);
    xs_queue_unlock();
    return finish(&listing, numDependencies);
}

CUresult xs_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies) {
    return xs_cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL, numDependencies);
}

CUresult xs_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
                                            size_t *numDependentNodes) {
    if (hNode == NULL || numDependentNodes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct listing listing = {dependentNodes, *numDependentNodes, 0};
    if (edgeData != NULL)
        memset(edgeData, 0, *numDependentNodes * sizeof(*edgeData));
    xs_queue_lock();
    for (struct CUgraphNode_st *node = hNode->graph->nodes; node != NULL; node = node->next)
        for (size_t i = 0; i < node->dependency_count; i++)
            if (node->dependencies[i] == hNode)
                list(&listing, node);
    xs_queue_unlock();
    return finish(&listing, numDependentNodes);
}

CUresult xs_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes) {
    return xs_cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL, numDependentNodes);
}

CUresult xs_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData,
                               size_t *numEdges) {
    if (hGraph == NULL || numEdges == NULL || (from == NULL) != (to == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    struct listing sources = {from, *numEdges, 0}, targets = {to, *numEdges, 0};
    if (edgeData != NULL)
        memset(edgeData, 0, *numEdges * sizeof(*edgeData));
    xs_queue_lock();
    for (struct CUgraphNode_st *node = hGraph->nodes; node != NULL; node = node->next) {
        for (size_t i = 0; i < node->dependency_count; i++) {
            list(&sources, node->dependencies[i]);
            list(&targets, node);
        }
    }
    xs_queue_unlock();
    finish(&sources, numEdges);
    return finish(&targets, numEdges);
}

CUresult xs_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges) {
    return xs_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

static void drop_dependency(struct CUgraphNode_st *node, CUgraphNode dependency) {
    size_t kept = 0;
    for (size_t i = 0; i < node->dependency_count; i++)
        if (node->dependencies[i] != dependency)
            node->dependencies[kept++] = node->dependencies[i];
    node->dependency_count = kept;
}

CUresult xs_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData, size_t numDependencies) {
    (void)edgeData;
    if (hGraph == NULL || (numDependencies > 0 && (from == NULL || to == NULL)))
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    for (size_t i = 0; i < numDependencies; i++) {
        CUgraphNode *grown = realloc(to[i]->dependencies, (to[i]->dependency_count + 1) * sizeof(*grown));
        if (grown == NULL)
            break;
        to[i]->dependencies = grown;
        grown[to[i]->dependency_count++] = from[i];
    }
    xs_queue_unlock();
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t numDependencies) {
    return xs_cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult xs_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                         const CUgraphEdgeData *edgeData, size_t numDependencies) {
    (void)edgeData;
    if (hGraph == NULL || (numDependencies > 0 && (from == NULL || to == NULL)))
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    for (size_t i = 0; i < numDependencies; i++)
        drop_dependency(to[i], from[i]);
    xs_queue_unlock();
    return CUDA_SUCCESS;
}

CUresult xs_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                      size_t numDependencies) {
    return xs_cuGraphRemoveDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult xs_cuGraphDestroyNode(CUgraphNode hNode) {
    if (hNode == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    xs_queue_lock();
    struct CUgraph_st *graph = hNode->graph;
    struct CUgraphNode_st **link = &graph->nodes;
    while (*link != hNode) {
        drop_dependency(*link, hNode);
        link = &(*link)->next;
    }
    *link = hNode->next;
    if (*link == NULL)
        graph->tail = link;
    for (struct CUgraphNode_st *node = *link; node != NULL; node = node->next)
        drop_dependency(node, hNode);
    graph->node_count--;
    free_node(hNode);
    xs_queue_unlock();
    return CUDA_SUCCESS;
}
