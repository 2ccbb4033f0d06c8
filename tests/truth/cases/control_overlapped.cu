// This program is right as it is, and a report has to say that little can be saved. Batches go up from two pinned
// buffers in a stream of their own, while the kernel for the batch before runs.
#include "case.cuh"

int main() {
    const size_t n = floats_of_mib(full_or_small(16, 1)), bytes = n * sizeof(float);
    const int batches = full_or_small(300, 4), rounds = full_or_small(6000, 10);
    float *host[2], *device[2], *total;
    cudaStream_t copies, kernels;
    cudaEvent_t sent[2], used[2];
    CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocHost(&host[i], bytes));
        CHECK(cudaMalloc(&device[i], bytes));
        CHECK(cudaEventCreateWithFlags(&sent[i], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
        load(host[i], n, i);
    }
    xs_work<<<n / 256, 256, 0, kernels>>>(total, n, 1);

    const LoopTime loop;
    for (int batch = 0; batch < batches; batch++) {
        const int i = batch % 2;
        CHECK(cudaEventSynchronize(sent[i]));
        load_some(host[i], n, batch);
        CHECK(cudaStreamWaitEvent(copies, used[i], 0));
        CHECK(cudaMemcpyAsync(device[i], host[i], bytes, cudaMemcpyHostToDevice, copies));
        CHECK(cudaEventRecord(sent[i], copies));
        CHECK(cudaStreamWaitEvent(kernels, sent[i], 0));
        xs_work<<<n / 256, 256, 0, kernels>>>(device[i], n, rounds);
        xs_axpy<<<n / 256, 256, 0, kernels>>>(total, device[i], 0.01f, n);
        CHECK(cudaEventRecord(used[i], kernels));
    }
    const double seconds = loop.seconds();
    print_case(device_sum(total, 1024), seconds);
    return 0;
}
