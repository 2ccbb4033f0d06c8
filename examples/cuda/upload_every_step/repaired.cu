// wasteful.cu's training step, repaired: the weights are uploaded once, the batches go through two pinned buffers and a
// stream, so that the next is loaded while the GPU works on the last, and the loss is read back where it is printed.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));             \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

constexpr size_t kWeights = 2u << 20, kBatch = 64u << 10; // floats: 8 MiB, 256 KiB
constexpr int kSteps = 200, kPrintEvery = 50;

// y += a * x
extern "C" __global__ void xs_axpy(float *y, const float *x, float a, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        y[i] += a * x[i];
}

// *out = the sum of x; in order, so that it is the same on every GPU.
extern "C" __global__ void xs_sum(const float *x, float *out, size_t n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i];
        *out = sum;
    }
}

// Stands for the data loader: the next batch, new in every step.
static void load_batch(float *batch, int step) {
    for (size_t i = 0; i < kBatch; i++)
        batch[i] = float((i + size_t(step) * 31) % 997) * 0.001f;
}

int main(int argc, char **argv) {
    std::vector<float> weights(kWeights);
    for (size_t i = 0; i < kWeights; i++)
        weights[i] = float(i % 1009) * 0.001f;
    float *batch[2], *device_weights, *device_batch, *state, *device_loss, *loss;
    cudaStream_t stream;
    cudaEvent_t uploaded[2];
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&device_weights, kWeights * sizeof(float)));
    CHECK(cudaMalloc(&device_batch, kBatch * sizeof(float)));
    CHECK(cudaMalloc(&state, kWeights * sizeof(float)));
    CHECK(cudaMalloc(&device_loss, sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now(); // the loop's time is its own: no start-up and no clean-up
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocHost(&batch[i], kBatch * sizeof(float)));
        CHECK(cudaEventCreateWithFlags(&uploaded[i], cudaEventDisableTiming));
    }
    CHECK(cudaMallocHost(&loss, sizeof(float)));
    CHECK(cudaMemcpyAsync(device_weights, weights.data(), kWeights * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(state, 0, kWeights * sizeof(float), stream));
    for (int step = 1, last = argc > 1 ? std::atoi(argv[1]) : kSteps; step <= last; step++) {
        int which = step % 2;
        CHECK(cudaEventSynchronize(uploaded[which])); // the buffer's last upload is over
        load_batch(batch[which], step);
        CHECK(cudaMemcpyAsync(device_batch, batch[which], kBatch * sizeof(float), cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(uploaded[which], stream));
        xs_axpy<<<256, 256, 0, stream>>>(state, device_weights, 0.001f, kWeights);
        xs_axpy<<<64, 256, 0, stream>>>(state, device_batch, 0.01f, kBatch);
        if (step % kPrintEvery == 0) {
            xs_sum<<<1, 1, 0, stream>>>(state, device_loss, 1024);
            CHECK(cudaMemcpyAsync(loss, device_loss, sizeof(float), cudaMemcpyDeviceToHost, stream));
            CHECK(cudaStreamSynchronize(stream));
            std::printf("step %d: loss %.3f\n", step, *loss);
        }
    }
    CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> loop = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "loop %.1f ms\n", loop.count());

    CHECK(cudaStreamDestroy(stream));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventDestroy(uploaded[i]));
        CHECK(cudaFreeHost(batch[i]));
    }
    CHECK(cudaFreeHost(loss));
    CHECK(cudaFree(device_weights));
    CHECK(cudaFree(device_batch));
    CHECK(cudaFree(state));
    CHECK(cudaFree(device_loss));
    return 0;
}
