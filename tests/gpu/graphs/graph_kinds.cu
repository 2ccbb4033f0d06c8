/* CUDA graphs of every kind in turns, while another thread copies: kernels, copies and memsets, child graphs, memory
 * nodes, conditional nodes, batches of memory operations, updates of an executable graph as a whole and of its nodes
 * (by the functions for a kind of node, and by the generic one), and graphs that a kernel launches. Each result is
 * compared with what it must be. Ends with status 1 at the first difference or error.
 *
 *   graph_kinds [MILLISECONDS]     3000 by default: long enough for several flushes of CUPTI */
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1 << 16, BYTES = COUNT * (int)sizeof(int), BLOCK = 256, CHAIN = 4 };

static const char *kind = "start"; /* that runs now, for messages */
static cudaStream_t stream;
static int *device, *other, *pinned;
static volatile bool is_over;

static void check(int result, const char *what) {
    if (result != 0) {
        printf("%s: %s: %s (%d)\n", kind, what, cudaGetErrorName((cudaError_t)result), result);
        fflush(stdout);
        _exit(1);
    }
}
#define OK(call) check((int)(call), #call)

static long now_ms() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

__global__ void add(int *values, int amount) { values[blockIdx.x * blockDim.x + threadIdx.x] += amount; }

static void expect(int *values, int value) {
    OK(cudaMemcpyAsync(pinned, values, BYTES, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++) {
        if (pinned[i] != value) {
            printf("%s: value %d is %d instead of %d\n", kind, i, pinned[i], value);
            fflush(stdout);
            _exit(1);
        }
    }
}

static void clear(int *values) { OK(cudaMemsetAsync(values, 0, BYTES, stream)); }

static void launch(cudaGraphExec_t executable, int times) {
    for (int i = 0; i < times; i++)
        OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
}

static void end(cudaGraph_t graph, cudaGraphExec_t executable) {
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static cudaGraph_t captured(int *values, int amount) {
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < CHAIN; i++)
        add<<<COUNT / BLOCK, BLOCK, 0, stream>>>(values, amount);
    OK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static cudaKernelNodeParams kernel_params(void **arguments) {
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(COUNT / BLOCK);
    params.blockDim = dim3(BLOCK);
    params.kernelParams = arguments;
    return params;
}

/* ---- the kinds ---- */

static void copies_and_memsets() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemsetAsync(device, 0, BYTES, stream));
    OK(cudaMemcpyAsync(other, device, BYTES, cudaMemcpyDeviceToDevice, stream));
    add<<<COUNT / BLOCK, BLOCK, 0, stream>>>(other, 3);
    OK(cudaMemcpyAsync(pinned, other, BYTES, cudaMemcpyDeviceToHost, stream));
    OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 3);
    expect(device, 3);
    end(graph, executable);
}

static void child_graphs() {
    cudaGraph_t graph, child = captured(device, 1), replacement = captured(device, 10);
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    clear(device);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 2);
    OK(cudaGraphExecChildGraphNodeSetParams(executable, node, replacement));
    launch(executable, 2);
    expect(device, 2 * CHAIN * 1 + 2 * CHAIN * 10);
    OK(cudaGraphDestroy(child));
    OK(cudaGraphDestroy(replacement));
    end(graph, executable);
}

static void memory_nodes() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int *scratch;
    clear(device);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaMallocAsync(&scratch, BYTES, stream));
    OK(cudaMemcpyAsync(scratch, device, BYTES, cudaMemcpyDeviceToDevice, stream));
    add<<<COUNT / BLOCK, BLOCK, 0, stream>>>(scratch, 7);
    OK(cudaMemcpyAsync(device, scratch, BYTES, cudaMemcpyDeviceToDevice, stream));
    OK(cudaFreeAsync(scratch, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 3);
    expect(device, 21);
    end(graph, executable);
}

__global__ void count_down(cudaGraphConditionalHandle handle, int *left) {
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

static void conditional_nodes() {
    cudaGraph_t graph, body;
    cudaGraphNode_t node, first;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle handle;
    cudaGraphNodeParams params = {};
    int amount = 2, rounds = 5, *left = other;
    clear(device);
    OK(cudaMemcpyAsync(left, &rounds, sizeof rounds, cudaMemcpyHostToDevice, stream));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    body = params.conditional.phGraph_out[0];
    void *arguments[] = {&device, &amount}, *of_count[] = {&handle, &left};
    cudaKernelNodeParams work = kernel_params(arguments), count = {};
    count.func = (void *)count_down;
    count.gridDim = count.blockDim = dim3(1);
    count.kernelParams = of_count;
    OK(cudaGraphAddKernelNode(&first, body, NULL, 0, &work));
    OK(cudaGraphAddKernelNode(&node, body, &first, 1, &count));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 1);
    expect(device, rounds * amount);
    end(graph, executable);
}

static void update_as_a_whole() {
    cudaGraph_t graph = captured(device, 1);
    cudaGraphExec_t executable;
    cudaGraphExecUpdateResultInfo info;
    int sum = CHAIN;
    clear(device);
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 1);
    for (int amount = 2; amount < 6; amount++) {
        cudaGraph_t changed = captured(device, amount);
        OK(cudaGraphExecUpdate(executable, changed, &info));
        launch(executable, 1);
        sum += CHAIN * amount;
        OK(cudaGraphDestroy(changed));
    }
    expect(device, sum);
    end(graph, executable);
}

static void CUDART_CB count_host(void *data) { ++*(int *)data; }

static void update_of_nodes() {
    cudaGraph_t graph;
    cudaGraphNode_t set, work, copy, host;
    cudaGraphExec_t executable;
    int amount = 1, calls[2] = {0, 0};
    cudaMemsetParams memset_params = {};
    memset_params.dst = device;
    memset_params.elementSize = 4;
    memset_params.width = COUNT;
    memset_params.height = 1;
    void *arguments[] = {&device, &amount};
    cudaKernelNodeParams params = kernel_params(arguments);
    cudaHostNodeParams host_params = {count_host, &calls[0]};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &memset_params));
    OK(cudaGraphAddKernelNode(&work, graph, &set, 1, &params));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &work, 1, other, device, BYTES, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddHostNode(&host, graph, &copy, 1, &host_params));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 1);
    expect(other, 1);
    memset_params.value = 5;
    amount = 4;
    host_params.userData = &calls[1];
    OK(cudaGraphExecMemsetNodeSetParams(executable, set, &memset_params));
    OK(cudaGraphExecKernelNodeSetParams(executable, work, &params));
    OK(cudaGraphExecMemcpyNodeSetParams1D(executable, copy, other, device, BYTES / 2, cudaMemcpyDeviceToDevice));
    OK(cudaGraphExecHostNodeSetParams(executable, host, &host_params));
    launch(executable, 1);
    expect(device, 9);
    check(calls[0] != 1 || calls[1] != 1, "host nodes");
    end(graph, executable);
}

static cudaGraphNodeParams generic_memset(unsigned value) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = device;
    params.memset.elementSize = 4;
    params.memset.width = COUNT;
    params.memset.height = 1;
    params.memset.value = value;
    return params;
}

static cudaGraphNodeParams generic_kernel(void **arguments) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)add;
    params.kernel.gridDim = dim3(COUNT / BLOCK);
    params.kernel.blockDim = dim3(BLOCK);
    params.kernel.kernelParams = arguments;
    return params;
}

static cudaGraphNodeParams generic_copy(size_t bytes) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeMemcpy;
    params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(device, bytes, bytes, 1);
    params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(other, bytes, bytes, 1);
    params.memcpy.copyParams.extent = make_cudaExtent(bytes, 1, 1);
    params.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
    return params;
}

static void generic_updates() {
    cudaGraph_t graph;
    cudaGraphNode_t set, work, copy;
    cudaGraphExec_t executable;
    int amount = 1;
    void *arguments[] = {&device, &amount};
    cudaGraphNodeParams of_set = generic_memset(0), of_work = generic_kernel(arguments), of_copy = generic_copy(BYTES);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddNode(&set, graph, NULL, NULL, 0, &of_set));
    OK(cudaGraphAddNode(&work, graph, &set, NULL, 1, &of_work));
    OK(cudaGraphAddNode(&copy, graph, &work, NULL, 1, &of_copy));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 1);
    expect(other, 1);
    amount = 4;
    of_set = generic_memset(5);
    of_work = generic_kernel(arguments);
    of_copy = generic_copy(BYTES / 2);
    OK(cudaGraphExecNodeSetParams(executable, set, &of_set));
    OK(cudaGraphExecNodeSetParams(executable, work, &of_work));
    OK(cudaGraphExecNodeSetParams(executable, copy, &of_copy));
    clear(other);
    launch(executable, 1);
    expect(device, 9);
    OK(cudaMemcpyAsync(pinned, other, BYTES, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    check(pinned[0] != 9 || pinned[COUNT / 2 - 1] != 9 || pinned[COUNT / 2] != 0, "the smaller copy");
    end(graph, executable);
}

/* ---- memory operations, for which the runtime has no functions ---- */

static struct {
    __typeof__(&cuCtxGetCurrent) current;
    __typeof__(&cuCtxGetDevice) device;
    __typeof__(&cuDeviceGetAttribute) attribute;
    __typeof__(&cuGraphAddBatchMemOpNode) add;
    __typeof__(&cuGraphExecBatchMemOpNodeSetParams) set;
    bool is_there;
} driver;

/* Finds the variants that cuda.h declares under these names: from 13.0 on, cuCtxGetDevice has another parameter. */
static void find(const char *name, void **function) {
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found));
    check(found != cudaDriverEntryPointSuccess, name);
}

static void find_memory_operations() {
    CUdevice number;
    int can = 0;
    find("cuCtxGetCurrent", (void **)&driver.current);
    find("cuCtxGetDevice", (void **)&driver.device);
    find("cuDeviceGetAttribute", (void **)&driver.attribute);
    find("cuGraphAddBatchMemOpNode", (void **)&driver.add);
    find("cuGraphExecBatchMemOpNodeSetParams", (void **)&driver.set);
    OK(driver.device(&number));
    OK(driver.attribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, number));
    driver.is_there = can != 0;
}

/* Writes both halves of a number of 64 bits to the memory, and waits for it. */
static void fill_operations(CUstreamBatchMemOpParams operations[2], cuuint64_t value) {
    memset(operations, 0, 2 * sizeof *operations);
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    operations[0].writeValue.address = (CUdeviceptr)device;
    operations[0].writeValue.value64 = value;
    operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    operations[1].waitValue.address = (CUdeviceptr)device;
    operations[1].waitValue.value64 = value;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
}

static void expect_number(cuuint64_t value) {
    OK(cudaMemcpyAsync(pinned, device, sizeof value, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    check(memcmp(pinned, &value, sizeof value), "the number that was written");
}

static void memory_operations() {
    const cuuint64_t first = 0x123456789abcdef, second = 0xfedcba987654321;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {};
    CUstreamBatchMemOpParams operations[2];
    CUgraphNode node;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    if (!driver.is_there)
        return;
    fill_operations(operations, first);
    OK(driver.current(&params.ctx));
    params.count = 2;
    params.paramArray = operations;
    clear(device);
    OK(cudaGraphCreate(&graph, 0));
    OK(driver.add(&node, graph, NULL, 0, &params));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    launch(executable, 2);
    expect_number(first);
    fill_operations(operations, second);
    OK(driver.set(executable, node, &params));
    launch(executable, 1);
    expect_number(second);
    end(graph, executable);
}

__global__ void launch_from_device(cudaGraphExec_t executable) {
    cudaGraphLaunch(executable, cudaStreamGraphFireAndForget);
}

static void launches_by_a_kernel() {
    cudaGraph_t graph = captured(device, 1), launcher;
    cudaGraphExec_t executable, of_launcher;
    clear(device);
    OK(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagDeviceLaunch));
    OK(cudaGraphUpload(executable, stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    launch_from_device<<<1, 1, 0, stream>>>(executable);
    OK(cudaStreamEndCapture(stream, &launcher));
    OK(cudaGraphInstantiate(&of_launcher, launcher, 0));
    launch(of_launcher, 3);
    expect(device, 3 * CHAIN);
    end(launcher, of_launcher);
    end(graph, executable);
}

/* ---- a thread that copies meanwhile ---- */

static void *copy_always(void *) {
    int *up = (int *)malloc(BYTES), *down = (int *)malloc(BYTES), *memory;
    cudaStream_t own;
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    OK(cudaMalloc(&memory, BYTES));
    for (int round = 0; !is_over; round++) {
        for (int i = 0; i < COUNT; i++)
            up[i] = round + i;
        OK(cudaMemcpyAsync(memory, up, BYTES, cudaMemcpyHostToDevice, own));
        OK(cudaMemcpyAsync(down, memory, BYTES, cudaMemcpyDeviceToHost, own));
        OK(cudaStreamSynchronize(own));
        check(memcmp(up, down, BYTES), "the other thread's copies");
    }
    return NULL;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*run)();
    } kinds[] = {{"copies and memsets", copies_and_memsets},
                 {"child graphs", child_graphs},
                 {"memory nodes", memory_nodes},
                 {"conditional nodes", conditional_nodes},
                 {"update as a whole", update_as_a_whole},
                 {"update of nodes", update_of_nodes},
                 {"generic update of nodes", generic_updates},
                 {"memory operations", memory_operations},
                 {"launches by a kernel", launches_by_a_kernel}};
    long end_ms = now_ms() + (count > 1 ? atol(words[1]) : 3000);
    pthread_t thread;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMalloc(&device, BYTES));
    OK(cudaMalloc(&other, BYTES));
    OK(cudaMallocHost(&pinned, BYTES));
    find_memory_operations();
    check(pthread_create(&thread, NULL, copy_always, NULL), "pthread_create");
    do {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            kind = kinds[i].name;
            kinds[i].run();
        }
    } while (now_ms() < end_ms);
    is_over = true;
    pthread_join(thread, NULL);
    if (!driver.is_there)
        printf("memory operations were left out: the device has none\n");
    printf("all kinds are good\n");
    return 0;
}
