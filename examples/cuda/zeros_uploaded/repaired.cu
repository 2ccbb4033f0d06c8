// wasteful.cu, repaired: a memset on the device. Other values than a repeated byte are a one-line kernel.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *data, *sum, *total, *initial;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&sum, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMallocHost(&initial, bytes));
    load(initial, n, 1);
    CHECK(cudaMemcpy(data, initial, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, bytes));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        CHECK(cudaMemsetAsync(sum, 0, bytes));
        xs_axpy<<<256, 256>>>(sum, data, float(step + 1), n);
        xs_axpy<<<256, 256>>>(total, sum, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(total));
    CHECK(cudaFreeHost(initial));
    return 0;
}
