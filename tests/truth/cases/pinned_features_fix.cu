// This program is pinned_features.cu, repaired. It copies the table to the device once.
#include "case.cuh"

int main() {
    const size_t n = floats_of_mib(full_or_small(64, 1)), bytes = n * sizeof(float);
    const int steps = full_or_small(1000, 4);
    float *table, *features, *total;
    CHECK(cudaHostAlloc(&table, bytes, cudaHostAllocMapped));
    CHECK(cudaMalloc(&features, bytes));
    CHECK(cudaMalloc(&total, bytes));
    load(table, n, 1);
    CHECK(cudaMemset(total, 0, bytes));
    xs_axpy<<<n / 256, 256>>>(total, table, 0.0f, n);

    const LoopTime loop;
    CHECK(cudaMemcpy(features, table, bytes, cudaMemcpyHostToDevice));
    for (int step = 0; step < steps; step++)
        xs_axpy<<<n / 256, 256>>>(total, features, 0.01f, n);
    const double seconds = loop.seconds();
    print_case(device_sum(total, n), seconds);
    return 0;
}
