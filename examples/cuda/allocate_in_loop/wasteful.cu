// A step that allocates its scratch memory and frees it again. Both calls take time of the host, and cudaFree waits for
// the GPU besides.
#include "../example.cuh"

const int kSteps = 100 * repeats();

static void step(float *state, size_t n) {
    float *scratch;
    CHECK(cudaMalloc(&scratch, n * sizeof(float)));
    CHECK(cudaMemsetAsync(scratch, 0, n * sizeof(float)));
    xs_axpy<<<256, 256>>>(scratch, state, 0.5f, n);
    xs_axpy<<<256, 256>>>(state, scratch, 0.01f, n);
    CHECK(cudaFree(scratch));
}

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *state, *initial;
    CHECK(cudaMalloc(&state, bytes));
    CHECK(cudaMallocHost(&initial, bytes));
    load(initial, n, 1);
    CHECK(cudaMemcpy(state, initial, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    for (int i = 0; i < kSteps; i++)
        step(state, n);
    loop.print();

    print_result(state);
    CHECK(cudaFree(state));
    CHECK(cudaFreeHost(initial));
    return 0;
}
