// An upload that pins its memory, because pinned copies are fast, and does so anew in every step. Page-locking costs
// more than the copy.
#include "../example.cuh"

const int kSteps = 20 * repeats();

static void upload_batch(float *device_batch, size_t n, int number) {
    float *staging;
    CHECK(cudaMallocHost(&staging, n * sizeof(float)));
    load(staging, n, number);
    CHECK(cudaMemcpy(device_batch, staging, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaFreeHost(staging));
}

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *device_batch, *total;
    CHECK(cudaMalloc(&device_batch, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        upload_batch(device_batch, n, step);
        xs_axpy<<<256, 256>>>(total, device_batch, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFree(device_batch));
    CHECK(cudaFree(total));
    return 0;
}
