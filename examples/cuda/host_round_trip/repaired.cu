// wasteful.cu's pipeline, repaired: the second stage is given the first one's result where it lies, on the device.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *field, *total, *initial;
    CHECK(cudaMalloc(&field, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMallocHost(&initial, bytes));
    load(initial, n, 1);
    CHECK(cudaMemcpy(field, initial, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, bytes));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        xs_scale<<<256, 256>>>(field, 1.01f, n);
        xs_axpy<<<256, 256>>>(total, field, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFree(field));
    CHECK(cudaFree(total));
    CHECK(cudaFreeHost(initial));
    return 0;
}
