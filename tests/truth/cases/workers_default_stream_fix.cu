// This program is workers_default_stream.cu, repaired. It gives each thread a stream of its own.
#include "case.cuh"

#include <thread>

constexpr size_t kWidth = 4096;

static void serve(float *state, const float *weights, int requests, int rounds) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int request = 0; request < requests; request++) {
        for (int layer = 0; layer < 20; layer++) {
            xs_work<<<kWidth / 256, 256, 0, stream>>>(state, kWidth, rounds);
            xs_axpy<<<kWidth / 256, 256, 0, stream>>>(state, weights, 1, kWidth);
        }
        CHECK(cudaStreamSynchronize(stream));
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
