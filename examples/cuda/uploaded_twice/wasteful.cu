// Two parts of a program that work on the same batch. Each uploads what it needs to memory of its own, so the batch
// crosses the link twice in every step.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *batch, *to_fit, *to_check, *model, *error;
    CHECK(cudaMalloc(&to_fit, bytes));
    CHECK(cudaMalloc(&to_check, bytes));
    CHECK(cudaMalloc(&model, bytes));
    CHECK(cudaMalloc(&error, bytes));
    CHECK(cudaMemset(model, 0, bytes));
    CHECK(cudaMemset(error, 0, bytes));
    CHECK(cudaMallocHost(&batch, bytes));
    load(batch, n, 0);
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        load_some(batch, n, step);
        CHECK(cudaMemcpy(to_fit, batch, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(to_check, batch, bytes, cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(model, to_fit, 0.1f, n);
        xs_axpy<<<256, 256>>>(error, to_check, -0.01f, n);
    }
    loop.print();

    print_result(model);
    print_result(error);
    CHECK(cudaFree(to_fit));
    CHECK(cudaFree(to_check));
    CHECK(cudaFree(model));
    CHECK(cudaFree(error));
    CHECK(cudaFreeHost(batch));
    return 0;
}
