// An accumulator that is reset in every step, with zeros from the host.
#include "../example.cuh"

#include <vector>

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
    const std::vector<float> zeros(n);
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        CHECK(cudaMemcpy(sum, zeros.data(), bytes, cudaMemcpyHostToDevice));
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
