// An iteration that looks at its error after every step, to stop when it diverges. To read four bytes the host waits
// for all the kernels before, and the GPU then waits for the host to launch the next.
#include "../example.cuh"

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
        CHECK(cudaMemcpy(&error, device_error, sizeof(error), cudaMemcpyDeviceToHost));
        if (!(error < 1e6f)) {
            std::printf("diverged in step %d\n", step);
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
