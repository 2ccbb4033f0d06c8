// Kernels read a table of features in pinned host memory in each step, although it would fit into the device's memory.
// Every read crosses the link again. This kind was reported in dmlc/dgl pull request 6635 and sgl-project/sglang pull
// request 37826. The repair copies the table to the device once.
#include "case.cuh"

int main() {
    const size_t n = floats_of_mib(full_or_small(64, 1)), bytes = n * sizeof(float);
    const int steps = full_or_small(1000, 4);
    float *table, *total;
    CHECK(cudaHostAlloc(&table, bytes, cudaHostAllocMapped)); // <-- here
    CHECK(cudaMalloc(&total, bytes));
    load(table, n, 1);
    CHECK(cudaMemset(total, 0, bytes));
    xs_axpy<<<n / 256, 256>>>(total, table, 0.0f, n);

    const LoopTime loop;
    for (int step = 0; step < steps; step++)
        xs_axpy<<<n / 256, 256>>>(total, table, 0.01f, n); // <-- here
    const double seconds = loop.seconds();
    print_case(device_sum(total, n), seconds);
    return 0;
}
