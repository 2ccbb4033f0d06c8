// Batches uploaded from ordinary memory. The driver cannot let the GPU read pageable memory: it copies every batch
// through a pinned buffer of its own, piece by piece.
#include "../example.cuh"

#include <vector>

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *device_batch, *total;
    CHECK(cudaMalloc(&device_batch, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    std::vector<float> batch(n);
    load(batch.data(), n, 0);
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        load_some(batch.data(), n, step);
        CHECK(cudaMemcpy(device_batch, batch.data(), bytes, cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(total, device_batch, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFree(device_batch));
    CHECK(cudaFree(total));
    return 0;
}
