// wasteful.cu, repaired: the error is looked at every 250 steps. In between the host runs ahead and the GPU always has
// work. Where every step has to be watched, let a kernel do it: set a flag on the device, and read the flag now and
// then.
#include "../example.cuh"

constexpr int kLookEvery = 250;

int main(int argc, char **argv) {
    const int steps = argument(argc, argv, 1, 2000) * repeats();
    const size_t n = floats_of_mib(1), bytes = n * sizeof(float);
    float *state, *gradient, *device_error, *initial, error = 0;
    CHECK(cudaMalloc(&state, bytes));
    CHECK(cudaMalloc(&gradient, bytes));
    CHECK(cudaMalloc(&device_error, sizeof(float)));
    CHECK(cudaMallocHost(&initial, bytes));
    load(initial, n, 1);
    CHECK(cudaMemcpy(gradient, initial, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(state, 0, bytes));
    const LoopTime loop;
    for (int step = 1; step <= steps; step++) {
        xs_axpy<<<256, 256>>>(state, gradient, 0.001f, n);
        xs_sum<<<1, 1>>>(state, device_error, 256);
        if (step % kLookEvery != 0 && step != steps)
            continue;
        CHECK(cudaMemcpy(&error, device_error, sizeof(error), cudaMemcpyDeviceToHost));
        if (!(error < 1e6f)) {
            std::printf("diverged in the last %d steps before %d\n", kLookEvery, step);
            return 1;
        }
    }
    loop.print();

    std::printf("result %.3f\n", error);
    CHECK(cudaFree(state));
    CHECK(cudaFree(gradient));
    CHECK(cudaFree(device_error));
    CHECK(cudaFreeHost(initial));
    return 0;
}
