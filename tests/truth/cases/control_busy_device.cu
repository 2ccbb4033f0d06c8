// This program is right as it is, and a report has to say that little can be saved. It reads a number back in each step
// and waits for it, but the device is busy for almost all of the step.
#include "case.cuh"

int main() {
    const size_t n = floats_of_mib(full_or_small(64, 1));
    const int steps = full_or_small(200, 4), rounds = full_or_small(6000, 10);
    float *state, first;
    double sum = 0;
    CHECK(cudaMalloc(&state, n * sizeof(float)));
    xs_fill<<<n / 256, 256>>>(state, 1, n);
    xs_work<<<n / 256, 256>>>(state, n, 1);

    const LoopTime loop;
    for (int step = 0; step < steps; step++) {
        xs_work<<<n / 256, 256>>>(state, n, rounds);
        CHECK(cudaMemcpy(&first, state, sizeof(first), cudaMemcpyDeviceToHost));
        sum += first;
    }
    const double seconds = loop.seconds();
    print_case(1e3 * sum, seconds);
    return 0;
}
