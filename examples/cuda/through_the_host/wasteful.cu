// A pipeline over two GPUs that hands its data over through host memory. Exits with 77 where there is one GPU only.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *field, *total, *received, *between;
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        std::fprintf(stderr, "this example needs two GPUs\n");
        return 77;
    }
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&received, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&field, bytes));
    CHECK(cudaHostAlloc(&between, bytes, cudaHostAllocPortable));
    load(between, n, 1);
    CHECK(cudaMemcpy(field, between, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        CHECK(cudaSetDevice(0));
        xs_scale<<<256, 256>>>(field, 1.01f, n);
        CHECK(cudaMemcpy(between, field, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaSetDevice(1));
        CHECK(cudaMemcpy(received, between, bytes, cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(total, received, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFree(received));
    CHECK(cudaFree(total));
    CHECK(cudaFree(field));
    CHECK(cudaFreeHost(between));
    return 0;
}
