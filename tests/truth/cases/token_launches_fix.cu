// This program is token_launches.cu, repaired. It captures the kernels of a token once and launches the graph for each.
#include "case.cuh"

constexpr int kLayers = 140;
constexpr size_t kWidth = 4096;

static void forward(float *state, const float *weights, cudaStream_t stream) {
    for (int layer = 0; layer < kLayers; layer++) {
        xs_scale<<<kWidth / 256, 256, 0, stream>>>(state, 0.99f, kWidth);
        xs_axpy<<<kWidth / 256, 256, 0, stream>>>(state, weights + layer * kWidth, 0.01f, kWidth);
    }
}

int main() {
    const int tokens = full_or_small(1500, 5);
    std::vector<float> values(kLayers * kWidth);
    float *state, *weights, *token;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&state, kWidth * sizeof(float)));
    CHECK(cudaMalloc(&weights, values.size() * sizeof(float)));
    CHECK(cudaMallocHost(&token, sizeof(float)));
    load(values.data(), values.size(), 1);
    CHECK(cudaMemcpy(weights, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(state, 0, kWidth * sizeof(float)));
    forward(state, weights, stream);

    const LoopTime loop;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    forward(state, weights, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    double sum = 0;
    for (int i = 0; i < tokens; i++) {
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaMemcpyAsync(token, state + i % kWidth, sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        sum += *token;
    }
    const double seconds = loop.seconds();
    print_case(sum, seconds);
    return 0;
}
