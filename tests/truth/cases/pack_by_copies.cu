// A message is packed on the host by one cudaMemcpy for each value, from host memory to host memory. Each of these
// calls waits for the kernel before it, and costs more than the value. This kind was reported in trilinos/Trilinos
// issue 10194 and pull request 10935. The repair packs by memcpy, which runs beside the kernel.
#include "case.cuh"

#include <cstring>

static void pack(std::vector<double> &message, const std::vector<double> &values, int step) {
    for (size_t i = 0; i < message.size(); i++) {
        const double *from = &values[(i * 7919 + size_t(step)) % values.size()];
        CHECK(cudaMemcpy(&message[i], from, sizeof(double), cudaMemcpyDefault)); // <-- here
    }
}

int main() {
    const int steps = full_or_small(300, 4), rounds = full_or_small(150000, 50);
    const size_t n = 1 << 15;
    std::vector<double> values(1 << 16), message(full_or_small(2000, 50));
    for (size_t i = 0; i < values.size(); i++)
        values[i] = double(i % 1009) / 1009;
    float *state;
    CHECK(cudaMalloc(&state, n * sizeof(float)));
    CHECK(cudaMemset(state, 0, n * sizeof(float)));
    xs_work<<<n / 256, 256>>>(state, n, 1);

    const LoopTime loop;
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        xs_work<<<n / 256, 256>>>(state, n, rounds); // about 1 ms, beside which the message can be packed
        pack(message, values, step);                 // <-- caller
        for (double value : message)
            sum += value;
        CHECK(cudaDeviceSynchronize());
    }
    const double seconds = loop.seconds();
    print_case(sum + device_sum(state, n), seconds);
    return 0;
}
