// Two stages of a pipeline that meet on the host: the first brings its result there, the second sends the same bytes
// back. The host does nothing with them.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *field, *stage, *total, *between;
    CHECK(cudaMalloc(&field, bytes));
    CHECK(cudaMalloc(&stage, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMallocHost(&between, bytes));
    load(between, n, 1);
    CHECK(cudaMemcpy(field, between, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, bytes));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        xs_scale<<<256, 256>>>(field, 1.01f, n);
        CHECK(cudaMemcpy(between, field, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(stage, between, bytes, cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(total, stage, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFree(field));
    CHECK(cudaFree(stage));
    CHECK(cudaFree(total));
    CHECK(cudaFreeHost(between));
    return 0;
}
