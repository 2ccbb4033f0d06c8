// Managed memory, and one part of each step left on the host. The pages of the field go to the device for the kernel
// and back for the loop, fault by fault, in every step.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *field, *source;
    CHECK(cudaMallocManaged(&field, bytes));
    CHECK(cudaMallocManaged(&source, bytes));
    load(field, n, 0);
    load(source, n, 1);
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        xs_axpy<<<256, 256>>>(field, source, 0.1f, n);
        CHECK(cudaDeviceSynchronize());
        for (size_t i = 0; i < n; i++)
            field[i] *= 0.5f;
    }
    loop.print();

    std::printf("result %.3f\n", field[n - 1]);
    CHECK(cudaFree(field));
    CHECK(cudaFree(source));
    return 0;
}
