/* The driver entry points for graphs, their nodes and their executables: one row each.
 *
 * Each row is EARLY, BARE, PLAIN, PTDS or PTSZ (name, symbol, since, (parameters), (arguments)): the name for
 * cuGetProcAddress, the exported symbol, the first CUDA version that has it, and its signature. EARLY entry points work
 * before cuInit. BARE entry points have no parameters structure in CUPTI. PTDS and PTSZ entry points have a second
 * symbol with this suffix, for programs whose default stream is per thread. A file that includes this one must define
 * the five macros. */

PLAIN(cuGraphCreate, cuGraphCreate, 10000, (CUgraph * phGraph, unsigned int flags), (phGraph, flags))
PLAIN(cuGraphDestroy, cuGraphDestroy, 10000, (CUgraph hGraph), (hGraph))
PLAIN(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       const CUDA_KERNEL_NODE_PARAMS *nodeParams),
      (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
PLAIN(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, 12000,
      (CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams), (hNode, nodeParams))
PLAIN(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000,
      (CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams), (hNode, nodeParams))
PLAIN(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       const CUDA_MEMCPY3D *copyParams, CUcontext ctx),
      (phGraphNode, hGraph, dependencies, numDependencies, copyParams, ctx))
PLAIN(cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000, (CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams),
      (hNode, nodeParams))
PLAIN(cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000,
      (CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams), (hNode, nodeParams))
PLAIN(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx),
      (phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx))
PLAIN(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000,
      (CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams), (hNode, nodeParams))
PLAIN(cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000,
      (CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams), (hNode, nodeParams))
PLAIN(cuGraphAddHostNode, cuGraphAddHostNode, 10000,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       const CUDA_HOST_NODE_PARAMS *nodeParams),
      (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
PLAIN(cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000, (CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams),
      (hNode, nodeParams))
PLAIN(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       CUgraph childGraph),
      (phGraphNode, hGraph, dependencies, numDependencies, childGraph))
PLAIN(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000, (CUgraphNode hNode, CUgraph *phGraph),
      (hNode, phGraph))
PLAIN(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies),
      (phGraphNode, hGraph, dependencies, numDependencies))
PLAIN(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       CUevent event),
      (phGraphNode, hGraph, dependencies, numDependencies, event))
PLAIN(cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, 11010, (CUgraphNode hNode, CUevent *event_out),
      (hNode, event_out))
PLAIN(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       CUevent event),
      (phGraphNode, hGraph, dependencies, numDependencies, event))
PLAIN(cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010, (CUgraphNode hNode, CUevent *event_out),
      (hNode, event_out))
PLAIN(cuGraphAddNode, cuGraphAddNode, 12020,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
       CUgraphNodeParams *nodeParams),
      (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
PLAIN(cuGraphAddNode, cuGraphAddNode_v2, 12030,
      (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
       const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams),
      (phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams))
PLAIN(cuGraphClone, cuGraphClone, 10000, (CUgraph * phGraphClone, CUgraph originalGraph), (phGraphClone, originalGraph))
PLAIN(cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000,
      (CUgraphNode * phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph), (phNode, hOriginalNode, hClonedGraph))
PLAIN(cuGraphNodeGetType, cuGraphNodeGetType, 10000, (CUgraphNode hNode, CUgraphNodeType *type), (hNode, type))
PLAIN(cuGraphGetNodes, cuGraphGetNodes, 10000, (CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes),
      (hGraph, nodes, numNodes))
PLAIN(cuGraphGetRootNodes, cuGraphGetRootNodes, 10000, (CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes),
      (hGraph, rootNodes, numRootNodes))
PLAIN(cuGraphGetEdges, cuGraphGetEdges, 10000, (CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges),
      (hGraph, from, to, numEdges))
PLAIN(cuGraphGetEdges, cuGraphGetEdges_v2, 12030,
      (CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges),
      (hGraph, from, to, edgeData, numEdges))
PLAIN(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000,
      (CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies), (hNode, dependencies, numDependencies))
PLAIN(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2, 12030,
      (CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData, size_t *numDependencies),
      (hNode, dependencies, edgeData, numDependencies))
PLAIN(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes, 10000,
      (CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes),
      (hNode, dependentNodes, numDependentNodes))
PLAIN(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, 12030,
      (CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData, size_t *numDependentNodes),
      (hNode, dependentNodes, edgeData, numDependentNodes))
PLAIN(cuGraphAddDependencies, cuGraphAddDependencies, 10000,
      (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies),
      (hGraph, from, to, numDependencies))
PLAIN(cuGraphAddDependencies, cuGraphAddDependencies_v2, 12030,
      (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData,
       size_t numDependencies),
      (hGraph, from, to, edgeData, numDependencies))
PLAIN(cuGraphRemoveDependencies, cuGraphRemoveDependencies, 10000,
      (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies),
      (hGraph, from, to, numDependencies))
PLAIN(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, 12030,
      (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData,
       size_t numDependencies),
      (hGraph, from, to, edgeData, numDependencies))
PLAIN(cuGraphDestroyNode, cuGraphDestroyNode, 10000, (CUgraphNode hNode), (hNode))
PLAIN(cuGraphInstantiate, cuGraphInstantiate_v2, 11000,
      (CUgraphExec * phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize),
      (phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize))
PLAIN(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040,
      (CUgraphExec * phGraphExec, CUgraph hGraph, unsigned long long flags), (phGraphExec, hGraph, flags))
PTSZ(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000,
     (CUgraphExec * phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams),
     (phGraphExec, hGraph, instantiateParams))
PLAIN(cuGraphExecGetFlags, cuGraphExecGetFlags, 12000, (CUgraphExec hGraphExec, cuuint64_t *flags), (hGraphExec, flags))
PTSZ(cuGraphUpload, cuGraphUpload, 11010, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream))
PTSZ(cuGraphLaunch, cuGraphLaunch, 10000, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream))
PLAIN(cuGraphExecDestroy, cuGraphExecDestroy, 10000, (CUgraphExec hGraphExec), (hGraphExec))
PLAIN(cuGraphExecUpdate, cuGraphExecUpdate_v2, 12000,
      (CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo),
      (hGraphExec, hGraph, resultInfo))
PLAIN(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, 12000,
      (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams),
      (hGraphExec, hNode, nodeParams))
PLAIN(cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020,
      (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx),
      (hGraphExec, hNode, copyParams, ctx))
PLAIN(cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020,
      (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx),
      (hGraphExec, hNode, memsetParams, ctx))
PLAIN(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060,
      (CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled), (hGraphExec, hNode, isEnabled))
PLAIN(cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060,
      (CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled), (hGraphExec, hNode, isEnabled))
