// What the cases in CUDA share beyond the examples' header: one more kernel, a small mode for the simulated GPU, and
// how they print their result.
#pragma once
#include "../../../examples/cuda/example.cuh"

#include <vector>

extern "C" __global__ void xs_fill(float *x, float value, size_t n) { GRID_LOOP(i, n) x[i] = value; }

// The size of a real measurement, or the small one if CASE_SMALL is set.
inline int full_or_small(int full, int small) { return std::getenv("CASE_SMALL") ? small : full; }

// The sum of n numbers that lie on the device.
template <typename T> double device_sum(const T *device, size_t n) {
    std::vector<T> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (T x : host)
        sum += x;
    return sum;
}

inline void print_case(double checksum, double seconds) {
    std::printf("checksum %.5f\nloop %.3f\n", checksum, seconds);
}
