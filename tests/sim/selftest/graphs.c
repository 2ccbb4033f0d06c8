/* Capture, its rules, and graphs: replayed, built by hand, looked into and changed. */
#include <pthread.h>

#include "driver.h"

static unsigned char *pinned;
static CUdeviceptr d;
static CUstream stream, second;

static void replay(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUevent fork_event, join;
    CUstreamCaptureStatus status;
    size_t count = 0;
    OK(cuEventCreate(&fork_event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemcpyHtoDAsync(d, pinned, 64, stream));
    OK(cuEventRecord(fork_event, stream));
    OK(cuStreamWaitEvent(second, fork_event, 0));
    OK(cuMemsetD8Async(d + 128, 3, 64, second));
    OK(cuEventRecord(join, second));
    add_one(stream, d, 64);
    OK(cuStreamWaitEvent(stream, join, 0));
    OK(cuMemcpyDtoHAsync(pinned + 64, d, 64, stream));
    OK(cuStreamIsCapturing(second, &status));
    SAME(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuStreamIsCapturing(second, &status));
    SAME(status, CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuGraphGetNodes(graph, NULL, &count));
    SAME(count, 4);
    CUgraphNode nodes[4], dependencies[4];
    OK(cuGraphGetNodes(graph, nodes, &count));
    CUDA_MEMCPY3D params;
    OK(cuGraphMemcpyNodeGetParams(nodes[0], &params));
    CHECK(params.srcHost == pinned && params.dstDevice == d && params.WidthInBytes == 64);
    count = 4;
    OK(cuGraphNodeGetDependencies(nodes[3], dependencies, NULL, &count));
    SAME(count, 2);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    for (int i = 0; i < 3; i++) {
        pinned[0] = (unsigned char)(10 + i);
        OK(cuGraphLaunch(exec, stream));
        OK(cuStreamSynchronize(stream));
        SAME(pinned[64], 11 + i);
    }
    OK(cuGraphExecDestroy(exec));
    OK(cuEventDestroy(fork_event));
    OK(cuEventDestroy(join));
}

static void built(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode set, add, down, empty;
    CUcontext context;
    size_t n = 64;
    OK(cuCtxGetCurrent(&context));
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS memset_params = {.dst = d, .value = 4, .elementSize = 1, .width = 64, .height = 1};
    void *args[] = {&d, &n};
    CUDA_KERNEL_NODE_PARAMS kernel_params = {.func = kernel("xs_add_one_u8"),
                                             .gridDimX = 1,
                                             .gridDimY = 1,
                                             .gridDimZ = 1,
                                             .blockDimX = 32,
                                             .blockDimY = 1,
                                             .blockDimZ = 1,
                                             .kernelParams = args};
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = d,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = pinned,
                          .WidthInBytes = 64,
                          .Height = 1,
                          .Depth = 1};
    /* Made in the wrong order on purpose: the edges decide. */
    OK(cuGraphAddMemcpyNode(&down, graph, NULL, 0, &copy, context));
    OK(cuGraphAddKernelNode(&add, graph, NULL, 0, &kernel_params));
    OK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &memset_params, context));
    OK(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    CUgraphNode from[] = {set, add}, to[] = {add, down};
    OK(cuGraphAddDependencies(graph, from, to, NULL, 2));
    CUDA_KERNEL_NODE_PARAMS found;
    OK(cuGraphKernelNodeGetParams(add, &found));
    CHECK(found.blockDimX == 32 && *(CUdeviceptr *)found.kernelParams[0] == d);
    OK(cuGraphInstantiate(&exec, graph, 0));
    pinned[0] = 0;
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    SAME(pinned[0], 5);
    memset_params.value = 8;
    OK(cuGraphExecMemsetNodeSetParams(exec, set, &memset_params, context));
    OK(cuGraphNodeSetEnabled(exec, add, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    SAME(pinned[0], 8);
    OK(cuGraphAddDependencies(graph, &down, &set, NULL, 1));
    CUgraphExec circle;
    SAME(cuGraphInstantiate(&circle, graph, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static CUresult other_thread_result, relaxed_result;
static CUcontext context;

static void *allocate_elsewhere(void *data) {
    CUdeviceptr p;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    (void)data;
    OK(cuCtxSetCurrent(context));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    relaxed_result = cuMemAlloc(&p, 64);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    SAME(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    other_thread_result = cuMemAlloc(&p, 64);
    return NULL;
}

static CUresult end(void) {
    CUgraph graph;
    CUresult result = cuStreamEndCapture(stream, &graph);
    if (result == CUDA_SUCCESS)
        OK(cuGraphDestroy(graph));
    else
        CHECK(graph == NULL);
    return result;
}

static void rules(void) {
    CUdeviceptr p;
    CUstream blocking;
    CUevent event;
    pthread_t thread;
    char host[8];
    /* An unsafe call in the capturing thread, and in another one. */
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SAME(cuMemAlloc(&p, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    pthread_create(&thread, NULL, allocate_elsewhere, NULL);
    pthread_join(thread, NULL);
    OK(relaxed_result);
    SAME(other_thread_result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    pthread_create(&thread, NULL, allocate_elsewhere, NULL);
    pthread_join(thread, NULL);
    OK(other_thread_result);
    SAME(cuMemAlloc(&p, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemAlloc(&p, 64));
    OK(cuMemFree(p));
    OK(end());
    /* Synchronising a capturing stream, or its context. */
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    SAME(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    SAME(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SAME(cuStreamSynchronize(blocking), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamDestroy(blocking));
    /* The legacy stream would have to wait for a capturing blocking one. */
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    SAME(cuMemcpyDtoH(host, d, 8), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    CUgraph graph;
    SAME(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    SAME(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    /* Work that was forked off has to come back. */
    OK(cuEventCreate(&event, 0));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(blocking, event, 0));
    OK(cuMemsetD8Async(d, 0, 8, blocking));
    SAME(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuEventDestroy(event));
    OK(cuEventCreate(&event, 0));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(blocking, event, 0));
    OK(cuMemsetD8Async(d, 0, 8, blocking));
    SAME(end(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    OK(cuEventDestroy(event));
    OK(cuStreamDestroy(blocking));
    OK(cuStreamSynchronize(stream));
}

int main(void) {
    context = start();
    kernel("xs_add_one_u8");
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&d, 4096));
    OK(cuMemHostAlloc((void **)&pinned, 4096, 0));
    replay();
    built();
    rules();
    OK(cuDevicePrimaryCtxReset(0));
    return 0;
}
