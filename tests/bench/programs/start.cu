// A process of one CUDA call: what starting and ending cost (run-start). Prints the clock when main begins, when the
// driver is initialised, after the call, which makes the context, and at the end of main, in nanoseconds of
// CLOCK_MONOTONIC.
#include <cuda_runtime.h>
#include <time.h>

#include <cstdio>

static long long now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main() {
    const long long entered = now_ns();
    int devices = 0;
    cudaGetDeviceCount(&devices); // cuInit, and no context
    const long long initialised = now_ns();
    const cudaError_t error = cudaFree(nullptr);
    const long long called = now_ns();
    if (error != cudaSuccess) {
        std::fprintf(stderr, "start: %s\n", cudaGetErrorString(error));
        return 77;
    }
    std::printf("main %lld\ninitialised %lld\n", entered, initialised);
    std::printf("called %lld\n", called);
    std::printf("ended %lld\n", now_ns());
    return 0;
}
