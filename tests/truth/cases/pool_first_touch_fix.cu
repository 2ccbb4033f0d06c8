// This program is pool_first_touch.cu, repaired. It prefetches the pool to the device when it is made.
#include "case.cuh"

int main() {
    const size_t n = floats_of_mib(full_or_small(512, 1)), bytes = n * sizeof(float);
    const int arrays = full_or_small(48, 4);
    const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    float *pool, *sums;
    CHECK(cudaMalloc(&sums, arrays * sizeof(float)));
    xs_fill<<<1, 256>>>(sums, 0, arrays);

    const LoopTime loop;
    CHECK(cudaMallocManaged(&pool, arrays * bytes));
    CHECK(cudaMemPrefetchAsync(pool, arrays * bytes, device, 0, 0));
    for (int i = 0; i < arrays; i++) {
        float *array = pool + i * n;
        xs_fill<<<4096, 256>>>(array, float(i), n);
        xs_scale<<<4096, 256>>>(array, 0.5f, n);
        xs_sum<<<1, 32>>>(array, sums + i, 16);
    }
    const double seconds = loop.seconds();
    print_case(device_sum(sums, arrays), seconds);
    CHECK(cudaFree(pool));
    return 0;
}
