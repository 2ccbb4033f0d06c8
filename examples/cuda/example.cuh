// What the examples share, so that each shows its transfers and little else: a check of CUDA calls, data that is new in
// every step, kernels to work on it, and a clock. The simulated GPU (tests/sim/kernels.c) knows these kernels by name.
#pragma once
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t check_error = (call);                                                                              \
        if (check_error != cudaSuccess) {                                                                              \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_error));       \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

#define GRID_LOOP(i, n)                                                                                                \
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < (n); i += size_t(gridDim.x) * blockDim.x)

// x *= a
extern "C" __global__ void xs_scale(float *x, float a, size_t n) { GRID_LOOP(i, n) x[i] *= a; }

// y += a * x
extern "C" __global__ void xs_axpy(float *y, const float *x, float a, size_t n) { GRID_LOOP(i, n) y[i] += a * x[i]; }

// As much arithmetic for each element of x as asked for.
extern "C" __global__ void xs_work(float *x, size_t n, int rounds) {
    GRID_LOOP(i, n) {
        float c = x[i] * 0.25f, z = 0;
        for (int r = 0; r < rounds; r++)
            z = z * z * 0.5f + c;
        x[i] = z;
    }
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

// Stands for whatever the host reads, receives or computes: other data for every number.
inline void load(float *x, size_t n, int number) {
    for (size_t i = 0; i < n; i++)
        x[i] = float(number) * 0.01f + float(i % 1024) * 0.001f;
}

// The same, where only the copy is to take long: new data in every KiB.
inline void load_some(float *x, size_t n, int number) {
    for (size_t i = 0; i < n; i += 256)
        x[i] = float(number) * 0.01f + float(i % 1024) * 0.001f;
}

// How long the loop takes, with all that the device does for it. It begins before what a repair moves out of the loop.
// Start-up, clean-up, and making and filling the host's buffers are not in it: first touches of memory take longer than
// many copies, and vary more.
class LoopTime {
    std::chrono::steady_clock::time_point begin;

  public:
    LoopTime() {
        CHECK(cudaDeviceSynchronize());
        begin = std::chrono::steady_clock::now();
    }
    double seconds() const {
        CHECK(cudaDeviceSynchronize());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    void print() const { std::fprintf(stderr, "loop %.1f ms\n", 1e3 * seconds()); }
};

// The size to work with: the program's argument of that index, or what is right for a GPU.
inline int argument(int argc, char **argv, int index, int otherwise) {
    return argc > index ? std::atoi(argv[index]) : otherwise;
}
inline size_t floats_of_mib(int mib) { return size_t(mib) << 18; }

// One number of a result that lies on the device.
inline void print_result(const float *device) {
    float first[16], sum = 0;
    CHECK(cudaMemcpy(first, device, sizeof(first), cudaMemcpyDeviceToHost));
    for (float x : first)
        sum += x;
    std::printf("result %.3f\n", sum);
}

// How many times as many steps as usual the loop makes: EXAMPLE_REPEAT, for measurements of seconds.
inline int repeats() {
    const char *text = std::getenv("EXAMPLE_REPEAT");
    const int repeat = text ? std::atoi(text) : 1;
    return repeat > 0 ? repeat : 1;
}
