// wasteful.cu, repaired: the batch is uploaded once, and both parts read it where it lies.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *batch, *shared, *model, *error;
    CHECK(cudaMalloc(&shared, bytes));
    CHECK(cudaMalloc(&model, bytes));
    CHECK(cudaMalloc(&error, bytes));
    CHECK(cudaMemset(model, 0, bytes));
    CHECK(cudaMemset(error, 0, bytes));
    CHECK(cudaMallocHost(&batch, bytes));
    load(batch, n, 0);
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        load_some(batch, n, step);
        CHECK(cudaMemcpy(shared, batch, bytes, cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(model, shared, 0.1f, n);
        xs_axpy<<<256, 256>>>(error, shared, -0.01f, n);
    }
    loop.print();

    print_result(model);
    print_result(error);
    CHECK(cudaFree(shared));
    CHECK(cudaFree(model));
    CHECK(cudaFree(error));
    CHECK(cudaFreeHost(batch));
    return 0;
}
