// Code that all examples share: a check of CUDA calls, data that is new in every step, kernels that work on this data,
// and a clock. Each example can therefore show its transfers and little else. The simulated GPU (tests/sim/kernels.c)
// knows these kernels by name.
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

// Does `rounds` rounds of arithmetic for each element of x.
extern "C" __global__ void xs_work(float *x, size_t n, int rounds) {
    GRID_LOOP(i, n) {
        float c = x[i] * 0.25f, z = 0;
        for (int r = 0; r < rounds; r++)
            z = z * z * 0.5f + c;
        x[i] = z;
    }
}

// *out = the sum of x, added up in order, so that the result is the same on every GPU.
extern "C" __global__ void xs_sum(const float *x, float *out, size_t n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i];
        *out = sum;
    }
}

// Fills x with data that differ for each `number`. A real program would read, receive or compute data here.
inline void load(float *x, size_t n, int number) {
    for (size_t i = 0; i < n; i++)
        x[i] = float(number) * 0.01f + float(i % 1024) * 0.001f;
}

// Does the same faster, for examples in which only the copy should take long: writes one new value into every KiB.
inline void load_some(float *x, size_t n, int number) {
    for (size_t i = 0; i < n; i += 256)
        x[i] = float(number) * 0.01f + float(i % 1024) * 0.001f;
}

// Measures how long the loop takes, including all work of the device for it. The measurement begins before everything
// that a repair moves out of the loop. It does not include start-up, clean-up, and allocating and filling the host's
// buffers, because the first touch of memory takes longer than many copies, and its time varies more.
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

// Returns the program's argument with this index, such as the size of the data; without this argument, returns
// `otherwise`, which is right for a GPU.
inline int argument(int argc, char **argv, int index, int otherwise) {
    return argc > index ? std::atoi(argv[index]) : otherwise;
}
inline size_t floats_of_mib(int mib) { return size_t(mib) << 18; }

// Prints one number that is computed from the beginning of a result in device memory.
inline void print_result(const float *device) {
    float first[16], sum = 0;
    CHECK(cudaMemcpy(first, device, sizeof(first), cudaMemcpyDeviceToHost));
    for (float x : first)
        sum += x;
    std::printf("result %.3f\n", sum);
}

// Returns the factor by which the loop makes more steps than usual. The variable EXAMPLE_REPEAT sets it, for
// measurements that take seconds.
inline int repeats() {
    const char *text = std::getenv("EXAMPLE_REPEAT");
    const int repeat = text ? std::atoi(text) : 1;
    return repeat > 0 ? repeat : 1;
}
