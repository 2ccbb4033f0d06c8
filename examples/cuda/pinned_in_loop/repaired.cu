// wasteful.cu, repaired: one page-locked buffer, kept for all steps.
#include "../example.cuh"

const int kSteps = 20 * repeats();

static void upload_batch(float *device_batch, float *staging, size_t n, int number) {
    load(staging, n, number);
    CHECK(cudaMemcpy(device_batch, staging, n * sizeof(float), cudaMemcpyHostToDevice));
}

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *device_batch, *total, *staging;
    CHECK(cudaMalloc(&device_batch, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    const LoopTime loop;
    CHECK(cudaMallocHost(&staging, bytes));
    for (int step = 0; step < kSteps; step++) {
        upload_batch(device_batch, staging, n, step);
        xs_axpy<<<256, 256>>>(total, device_batch, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFreeHost(staging));
    CHECK(cudaFree(device_batch));
    CHECK(cudaFree(total));
    return 0;
}
