// This program is managed_each_iteration.cu, repaired. It allocates the arrays once.
#include "case.cuh"

constexpr int kArrays = 10;
constexpr size_t kSpins = 1 << 18;

static void allocate(float **arrays) {
    for (int i = 0; i < kArrays; i++)
        CHECK(cudaMallocManaged(&arrays[i], kSpins * sizeof(float)));
}

static void release(float **arrays) {
    for (int i = 0; i < kArrays; i++)
        CHECK(cudaFree(arrays[i]));
}

static void iterate(float *field, float **arrays) {
    for (int i = 0; i < kArrays; i++) {
        xs_fill<<<kSpins / 256, 256>>>(arrays[i], 0.1f * float(i), kSpins);
        xs_axpy<<<kSpins / 256, 256>>>(field, arrays[i], 0.01f, kSpins);
    }
    CHECK(cudaDeviceSynchronize());
}

int main() {
    const int iterations = full_or_small(600, 4);
    float *field, *arrays[kArrays];
    CHECK(cudaMalloc(&field, kSpins * sizeof(float)));
    CHECK(cudaMemset(field, 0, kSpins * sizeof(float)));
    xs_scale<<<kSpins / 256, 256>>>(field, 1, kSpins);

    const LoopTime loop;
    allocate(arrays);
    for (int i = 0; i < iterations; i++)
        iterate(field, arrays);
    release(arrays);
    const double seconds = loop.seconds();
    print_case(device_sum(field, kSpins), seconds);
    return 0;
}
