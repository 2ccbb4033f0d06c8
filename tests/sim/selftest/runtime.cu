// The runtime API as nvcc programs use it; built twice, with the legacy and with the per-thread default stream. The
// same program runs on a real GPU.
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#include "../kernels.cuh"
#include "check.h"

__device__ float table[16];
__constant__ int constants[4];
__managed__ int shared_count;

static const size_t n = 1 << 16, bytes = n * sizeof(float);

static void linear() {
    std::vector<float> host(n, 1.5f), back(n);
    float *d, *e;
    OK(cudaMalloc(&d, bytes));
    OK(cudaMalloc(&e, bytes));
    OK(cudaMemcpy(d, host.data(), bytes, cudaMemcpyHostToDevice));
    xs_scale<<<8, 128>>>(d, 2.0f, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(e, d, bytes, cudaMemcpyDeviceToDevice));
    xs_axpy<<<8, 128>>>(e, d, 1.0f, n);
    OK(cudaMemcpy(back.data(), e, bytes, cudaMemcpyDefault));
    CHECK(back[0] == 6.0f && back[n - 1] == 6.0f);
    xs_stencil<<<8, 128>>>(d, e, n);
    xs_sum<<<1, 1>>>(d, e, 16);
    float sum;
    OK(cudaMemcpy(&sum, e, sizeof(sum), cudaMemcpyDeviceToHost));
    CHECK(sum == 96.0f);
    float *arrays[2] = {d, e}, **indirect;
    OK(cudaMalloc(&indirect, sizeof(arrays)));
    OK(cudaMemcpy(indirect, arrays, sizeof(arrays), cudaMemcpyHostToDevice));
    xs_indirect<<<8, 128>>>(indirect, 2, n);
    OK(cudaMemcpy(&sum, d + 5, sizeof(sum), cudaMemcpyDeviceToHost));
    CHECK(sum == 7.0f);
    SAME(cudaMemcpy(d, host.data(), bytes + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    SAME(cudaPeekAtLastError(), cudaErrorInvalidValue);
    SAME(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
    xs_noop<<<1, 2048>>>();
    SAME(cudaGetLastError(), cudaErrorInvalidValue);
    xs_noop<<<0, 32>>>();
    SAME(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFree(indirect));
    OK(cudaFree(d));
    OK(cudaFree(e));
    OK(cudaFree(nullptr));
}

static void symbols() {
    float values[16], back[16];
    int numbers[4] = {1, 2, 3, 4};
    void *address;
    size_t size;
    for (int i = 0; i < 16; i++)
        values[i] = i;
    OK(cudaMemcpyToSymbol(table, values, sizeof(values)));
    OK(cudaMemcpyToSymbol(constants, numbers, sizeof(numbers)));
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&size, table));
    SAME(size, sizeof(table));
    xs_scale<<<1, 16>>>((float *)address, 3.0f, 16);
    OK(cudaMemcpyFromSymbol(back, table, sizeof(float) * 2, sizeof(float) * 14));
    CHECK(back[0] == 42 && back[1] == 45);
    shared_count = 5;
    SAME(shared_count, 5);
}

static void shapes() {
    float host[12][20], back[12][20], *d;
    size_t pitch;
    for (int i = 0; i < 240; i++)
        (&host[0][0])[i] = i;
    OK(cudaMallocPitch(&d, &pitch, 20 * sizeof(float), 12));
    OK(cudaMemcpy2D(d, pitch, host, 80, 80, 12, cudaMemcpyHostToDevice));
    memset(back, 0, sizeof(back));
    OK(cudaMemcpy2DAsync(back, 80, d, pitch, 40, 12, cudaMemcpyDeviceToHost, 0));
    OK(cudaDeviceSynchronize());
    CHECK(back[11][9] == host[11][9] && back[11][10] == 0);
    OK(cudaMemset2D(d, pitch, 0, 80, 12));
    OK(cudaFree(d));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 20, 12));
    OK(cudaMemcpy2DToArray(array, 0, 0, host, 80, 80, 12, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(back, 80, array, 0, 0, 80, 12, cudaMemcpyDeviceToHost));
    CHECK(memcmp(host, back, sizeof(host)) == 0);
    OK(cudaFreeArray(array));
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(20 * sizeof(float), 4, 3);
    OK(cudaMalloc3D(&box, extent));
    cudaMemcpy3DParms params = {};
    params.srcPtr = make_cudaPitchedPtr(host, 80, 20, 4);
    params.dstPtr = box;
    params.extent = extent;
    params.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&params));
    params.srcPtr = box;
    memset(back, 0, sizeof(back));
    params.dstPtr = make_cudaPitchedPtr(back, 80, 20, 4);
    params.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&params));
    CHECK(memcmp(host, back, sizeof(host)) == 0);
    OK(cudaMemset3D(box, 0, extent));
    OK(cudaFree(box.ptr));
}

static void streams() {
    cudaStream_t stream;
    cudaEvent_t start, end;
    float *pinned, *d, ms;
    int priority;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamGetPriority(stream, &priority));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault));
    OK(cudaMallocAsync(&d, bytes, stream));
    for (size_t i = 0; i < n; i++)
        pinned[i] = i;
    OK(cudaEventRecord(start, stream));
    OK(cudaMemcpyAsync(d, pinned, bytes, cudaMemcpyHostToDevice, stream));
    xs_spin<<<1, 1, 0, stream>>>(20000000ull);
    xs_scale<<<8, 128, 0, stream>>>(d, 2, n);
    OK(cudaMemcpyAsync(pinned, d, bytes, cudaMemcpyDeviceToHost, stream));
    OK(cudaEventRecord(end, stream));
    SAME(cudaStreamQuery(stream), cudaErrorNotReady);
    OK(cudaPeekAtLastError());
    OK(cudaStreamSynchronize(stream));
    CHECK(pinned[100] == 200);
    OK(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms >= 19.9f);
    OK(cudaFreeAsync(d, stream));
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, pinned));
    SAME(attributes.type, cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&attributes, &ms));
    SAME(attributes.type, cudaMemoryTypeUnregistered);
    OK(cudaFreeHost(pinned));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(stream));
}

static void managed() {
    float *m;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    OK(cudaMallocManaged(&m, bytes));
    for (size_t i = 0; i < n; i++)
        m[i] = 1;
    OK(cudaMemAdvise(m, bytes, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemPrefetchAsync(m, bytes, device, 0, 0));
    xs_scale<<<8, 128>>>(m, 4, n);
    OK(cudaMemPrefetchAsync(m, bytes, host, 0, 0));
    OK(cudaDeviceSynchronize());
    CHECK(m[77] == 4);
    OK(cudaFree(m));
}

static void graphs() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t up, run, down;
    float *pinned, *d;
    size_t count = n, nodes = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocHost(&pinned, bytes));
    OK(cudaMalloc(&d, bytes));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemcpyAsync(d, pinned, bytes, cudaMemcpyHostToDevice, stream));
    xs_scale<<<8, 128, 0, stream>>>(d, 2, n);
    OK(cudaMemcpyAsync(pinned, d, bytes, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    SAME(nodes, 3);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    pinned[9] = 1;
    for (int i = 0; i < 4; i++)
        OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(pinned[9] == 16);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphCreate(&graph, 0));
    float factor = 3;
    void *args[] = {&d, &factor, &count};
    cudaKernelNodeParams params = {};
    params.func = (void *)xs_scale;
    params.gridDim = dim3(8);
    params.blockDim = dim3(128);
    params.kernelParams = args;
    OK(cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, d, pinned, bytes, cudaMemcpyHostToDevice));
    OK(cudaGraphAddKernelNode(&run, graph, &up, 1, &params));
    OK(cudaGraphAddMemcpyNode1D(&down, graph, &run, 1, pinned, d, bytes, cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(pinned[9] == 48);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(d));
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(stream));
}

static void batch() {
    cudaStream_t stream;
    char *d, *pinned;
    size_t sizes[2] = {100, 200}, first = 0;
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc(&d, 1000));
    OK(cudaMallocHost(&pinned, 1000));
    memset(pinned, 9, 1000);
    void *dsts[2] = {d, d + 500};
    const void *srcs[2] = {pinned, pinned + 300};
    OK(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    char back;
    OK(cudaMemcpy(&back, d + 699, 1, cudaMemcpyDeviceToHost));
    SAME(back, 9);
    OK(cudaFree(d));
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(stream));
}

extern "C" __global__ void not_in_the_table(int *x) { *x = 1; }

int main() {
    int count, version;
    cudaDeviceProp prop;
    OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    OK(cudaGetDeviceProperties(&prop, 0));
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version >= 13000);
    linear();
    symbols();
    shapes();
    streams();
    managed();
    graphs();
    batch();
    if (strstr(prop.name, "simulated") != nullptr) {
        int *d;
        OK(cudaMalloc(&d, sizeof(*d)));
        not_in_the_table<<<1, 1>>>(d);
        SAME(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    }
    OK(cudaDeviceReset());
    float *again;
    OK(cudaMalloc(&again, 64));
    xs_fill<<<1, 16>>>(again, 1, 16);
    OK(cudaDeviceSynchronize());
    puts(prop.name);
    return 0;
}
