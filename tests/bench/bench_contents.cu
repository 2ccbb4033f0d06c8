// What fingerprints add to copies: microseconds a copy, where copies follow each other as fast as the device takes
// them. The mean of each of some batches, which end when the device is idle, then their median.
//
//     bench_contents
//
// On a slow (simulated) device BENCH_SCALE=0.1 makes everything smaller.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "measure.h"

extern "C" __global__ void xs_noop() {}

static int batches = 15;
static size_t most = 64u << 20;
static cudaStream_t stream;
static char *pinned, *pageable, *device;

template <typename Call> static void measure(const char *metric, int per_batch, Call call) {
    static double values[MEASURE_BATCHES_MAX];
    for (int batch = -2; batch < batches; batch++) { // the first two only warm up
        CHECK(cudaDeviceSynchronize());
        double start = now_us();
        for (int i = 0; i < per_batch; i++)
            call(i);
        CHECK(cudaDeviceSynchronize());
        if (batch >= 0)
            values[batch] = (now_us() - start) / per_batch;
    }
    print_batches(metric, "us", values, batches);
    let_settle();
}

// Two buffers in turns, as programs have them.
static void of_size(const char *name, size_t bytes) {
    char metric[64];
    int per_batch = bytes >= 16u << 20 ? 8 : bytes >= 1u << 20 ? 64 : 400;
    if (bytes > most)
        bytes = most;
    auto at = [bytes](char *base, int i) { return base + (i & 1) * bytes; };
    std::snprintf(metric, sizeof metric, "contents.h2d_%s", name);
    measure(metric, per_batch, [=](int i) {
        CHECK(cudaMemcpyAsync(at(device, i), at(pinned, i), bytes, cudaMemcpyHostToDevice, stream));
    });
    std::snprintf(metric, sizeof metric, "contents.h2d_%s_launch", name);
    measure(metric, per_batch, [=](int i) {
        CHECK(cudaMemcpyAsync(at(device, i), at(pinned, i), bytes, cudaMemcpyHostToDevice, stream));
        xs_noop<<<1, 1, 0, stream>>>();
    });
    std::snprintf(metric, sizeof metric, "contents.d2h_%s", name);
    measure(metric, per_batch, [=](int i) {
        CHECK(cudaMemcpyAsync(at(pinned, i), at(device, i), bytes, cudaMemcpyDeviceToHost, stream));
    });
}

int main() {
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    begin_cupti();
    CHECK(cudaFree(nullptr));
    if (const char *text = std::getenv("BENCH_SCALE")) {
        batches = 1 + int(batches * std::atof(text));
        most = 1u << 20;
    }
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&device, 2 * most));
    CHECK(cudaMallocHost(&pinned, 2 * most));
    pageable = static_cast<char *>(std::calloc(1, 1u << 20));
    for (size_t i = 0; i < 2 * most; i += 8) {
        size_t value = i * 0x9E3779B97F4A7C15ull;
        std::memcpy(pinned + i, &value, 8);
    }
    of_size("64m", 64u << 20);
    of_size("16m", 16u << 20);
    of_size("1m", 1u << 20);
    of_size("64k", 64u << 10);
    of_size("4k", 4096);
    measure(
        "contents.h2d_4k_pageable", 400,
        [](int) { CHECK(cudaMemcpy(device, pageable, 4096, cudaMemcpyHostToDevice)); });
    measure(
        "contents.h2d_1m_pageable", 64,
        [](int) { CHECK(cudaMemcpy(device, pageable, 1u << 20, cudaMemcpyHostToDevice)); });
    measure("contents.d2h_4b_pageable", 400,
            [](int) { CHECK(cudaMemcpy(pageable, device, 4, cudaMemcpyDeviceToHost)); });
    CHECK(cudaGetLastError());
    return 0;
}
