// Eight threads serve requests with short kernels that fill a small part of the device. All launch into the default
// stream, so that the requests run one after the other. This kind was reported in sonos/tract pull request 2443 and
// BVLC/caffe issue 5855. The repair gives each thread a stream of its own.
#include "case.cuh"

#include <thread>

constexpr size_t kWidth = 4096;

static void serve(float *state, const float *weights, int requests, int rounds) {
    for (int request = 0; request < requests; request++) {
        for (int layer = 0; layer < 20; layer++) {
            xs_work<<<kWidth / 256, 256>>>(state, kWidth, rounds);     // <-- here
            xs_axpy<<<kWidth / 256, 256>>>(state, weights, 1, kWidth); // <-- here
        }
        CHECK(cudaStreamSynchronize(0)); // <-- here
    }
}

int main() {
    const int requests = full_or_small(200, 2), rounds = full_or_small(7500, 20);
    float *states, *weights;
    CHECK(cudaMalloc(&states, 8 * kWidth * sizeof(float)));
    CHECK(cudaMalloc(&weights, kWidth * sizeof(float)));
    std::vector<float> begin(8 * kWidth);
    load(begin.data(), begin.size(), 1);
    CHECK(cudaMemcpy(states, begin.data(), begin.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(weights, begin.data(), kWidth * sizeof(float), cudaMemcpyHostToDevice));
    xs_work<<<8 * kWidth / 256, 256>>>(states, 8 * kWidth, 1);

    const LoopTime loop;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back(serve, states + i * kWidth, weights, requests, rounds);
    for (std::thread &thread : threads)
        thread.join();
    const double seconds = loop.seconds();
    print_case(device_sum(states, 8 * kWidth), seconds);
    return 0;
}
