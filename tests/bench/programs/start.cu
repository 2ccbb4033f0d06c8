// A process of one CUDA call: what starting and ending cost (run-start). Prints the clock after the call and at the end
// of main, in nanoseconds of CLOCK_MONOTONIC.
#include <cuda_runtime.h>
#include <time.h>

#include <cstdio>

static long long now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main() {
    const cudaError_t error = cudaFree(nullptr);
    const long long called = now_ns();
    if (error != cudaSuccess) {
        std::fprintf(stderr, "start: %s\n", cudaGetErrorString(error));
        return 77;
    }
    std::printf("called %lld\n", called);
    std::printf("ended %lld\n", now_ns());
    return 0;
}
