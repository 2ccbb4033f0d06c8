// wasteful.cu, repaired: the batches are loaded into page-locked memory, which the GPU reads by itself at the link's
// rate. The buffer is allocated once, because page-locking is slow.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *batch, *device_batch, *total;
    CHECK(cudaMalloc(&device_batch, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    CHECK(cudaMallocHost(&batch, bytes));
    load(batch, n, 0);
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        load_some(batch, n, step);
        CHECK(cudaMemcpy(device_batch, batch, bytes, cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(total, device_batch, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFreeHost(batch));
    CHECK(cudaFree(device_batch));
    CHECK(cudaFree(total));
    return 0;
}
