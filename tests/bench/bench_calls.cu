// What calls of the CUDA runtime cost: microseconds a call, the mean of each of some batches, then their median.
//
//     bench_calls [--first]     --first: only the first call, then end
//
// A batch is short enough not to fill the driver's queue, and the device is idle when one begins: the host's cost of a
// call is measured, not the device's. On a slow (simulated) device BENCH_SCALE=0.1 makes everything shorter.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

#include "measure.h"

extern "C" __global__ void xs_noop() {}

static int batches = 40, per_batch = 400, steps = 2000;
static cudaStream_t stream;
static char *pinned, *pageable, *device;
static const size_t kMib = 1u << 20;

template <typename Call> static void measure(const char *metric, Call call) {
    static double values[MEASURE_BATCHES_MAX];
    for (int batch = -1; batch < batches; batch++) { // the first one only warms up
        CHECK(cudaDeviceSynchronize());
        double start = now_us();
        for (int i = 0; i < per_batch; i++)
            call();
        if (batch >= 0)
            values[batch] = (now_us() - start) / per_batch;
    }
    CHECK(cudaDeviceSynchronize());
    print_batches(metric, "us", values, batches);
    let_settle();
}

// A training step in small: a batch up, work, a result down.
static double steps_ms() {
    double start = now_us();
    for (int step = 0; step < steps; step++) {
        CHECK(cudaMemcpyAsync(device, pinned, kMib, cudaMemcpyHostToDevice, stream));
        for (int i = 0; i < 20; i++)
            xs_noop<<<1, 32, 0, stream>>>();
        CHECK(cudaMemcpyAsync(pinned + kMib, device, 4, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
    }
    return (now_us() - start) * 1e-3 * (2000.0 / steps);
}

int main(int argc, char **argv) {
    int devices;
    double start = now_us();
    CHECK(cudaGetDeviceCount(&devices));
    begin_cupti();
    CHECK(cudaFree(nullptr));
    double first_ms = (now_us() - start) * 1e-3;
    print_metric("first_call", "ms", first_ms, first_ms);
    if (argc > 1 && std::strcmp(argv[1], "--first") == 0)
        return 0;
    if (const char *text = std::getenv("BENCH_SCALE")) {
        double scale = std::atof(text);
        batches = 1 + int(batches * scale);
        steps = 1 + int(steps * scale);
    }
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&device, 2 * kMib));
    CHECK(cudaMallocHost(&pinned, 2 * kMib));
    pageable = static_cast<char *>(std::calloc(1, kMib));

    measure(
        "h2d_4k_pinned_async", [] { CHECK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, stream)); });
    measure(
        "h2d_4k_pageable", [] { CHECK(cudaMemcpy(device, pageable, 4096, cudaMemcpyHostToDevice)); });
    measure(
        "d2h_4b_pageable", [] { CHECK(cudaMemcpy(pageable, device, 4, cudaMemcpyDeviceToHost)); });
    measure("launch_empty", [] { xs_noop<<<1, 32, 0, stream>>>(); });
    CHECK(cudaGetLastError());
    measure("malloc_free_async", [] {
        void *memory;
        CHECK(cudaMallocAsync(&memory, 4096, stream));
        CHECK(cudaFreeAsync(memory, stream));
    });
    double steps_now = steps_ms();
    print_metric("steps_2000", "ms", steps_now, steps_now);

    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    CHECK(cudaStreamDestroy(stream));
    std::free(pageable);
    return 0;
}
