// Eight threads, each with a stream of its own, that copy, launch and wait: what profiling costs where threads meet in
// it. 500 steps a thread, EXAMPLE_REPEAT times.
#include <thread>
#include <vector>

#include "../../../examples/cuda/example.cuh"

constexpr int kThreads = 8, kLaunches = 4, kLookEvery = 8;

static void work(int steps, float *result) {
    const size_t n = 16384, bytes = n * sizeof(float);
    float *batch, *device_batch, *total;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&batch, bytes));
    CHECK(cudaMalloc(&device_batch, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemsetAsync(total, 0, bytes, stream));
    load(batch, n, 1);
    for (int step = 0; step < steps; step++) {
        CHECK(cudaMemcpyAsync(device_batch, batch, bytes, cudaMemcpyHostToDevice, stream));
        for (int i = 0; i < kLaunches; i++)
            xs_axpy<<<16, 256, 0, stream>>>(total, device_batch, 0.001f, n);
        if (step % kLookEvery == 0) {
            CHECK(cudaMemcpyAsync(result, total, sizeof(float), cudaMemcpyDeviceToHost, stream));
            CHECK(cudaStreamSynchronize(stream));
        }
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(batch));
    CHECK(cudaFree(device_batch));
    CHECK(cudaFree(total));
    CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv) {
    const int steps = argument(argc, argv, 1, 500) * repeats();
    float *results, sum = 0;
    std::vector<std::thread> threads;
    CHECK(cudaMallocHost(&results, kThreads * sizeof(float)));
    const LoopTime loop;
    for (int i = 0; i < kThreads; i++)
        threads.emplace_back(work, steps, results + i);
    for (std::thread &thread : threads)
        thread.join();
    loop.print();

    for (int i = 0; i < kThreads; i++)
        sum += results[i];
    std::printf("result %.3f\n", sum);
    CHECK(cudaFreeHost(results));
    return 0;
}
