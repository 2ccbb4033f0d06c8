// wasteful.cu, repaired: the scratch memory is allocated once. Where a step cannot know its size beforehand,
// cudaMallocAsync and cudaFreeAsync take it from a pool that keeps what was freed.
#include "../example.cuh"

const int kSteps = 100 * repeats();

static void step(float *state, float *scratch, size_t n) {
    CHECK(cudaMemsetAsync(scratch, 0, n * sizeof(float)));
    xs_axpy<<<256, 256>>>(scratch, state, 0.5f, n);
    xs_axpy<<<256, 256>>>(state, scratch, 0.01f, n);
}

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *state, *scratch, *initial;
    CHECK(cudaMalloc(&state, bytes));
    CHECK(cudaMallocHost(&initial, bytes));
    load(initial, n, 1);
    CHECK(cudaMemcpy(state, initial, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    CHECK(cudaMalloc(&scratch, bytes));
    for (int i = 0; i < kSteps; i++)
        step(state, scratch, n);
    loop.print();

    print_result(state);
    CHECK(cudaFree(state));
    CHECK(cudaFree(scratch));
    CHECK(cudaFreeHost(initial));
    return 0;
}
