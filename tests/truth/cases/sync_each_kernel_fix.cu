// This program is sync_each_kernel.cu, repaired. It waits once, at the end.
#include "case.cuh"

static void relax(float *x, const float *source, size_t n, cudaStream_t stream) {
    xs_scale<<<n / 256, 256, 0, stream>>>(x, 0.999f, n);
    xs_axpy<<<n / 256, 256, 0, stream>>>(x, source, 0.001f, n);
}

int main() {
    const size_t n = 1 << 18;
    const int steps = full_or_small(100000, 20);
    std::vector<float> begin(n);
    float *x, *source;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&source, n * sizeof(float)));
    load(begin.data(), n, 1);
    CHECK(cudaMemcpy(x, begin.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    load(begin.data(), n, 2);
    CHECK(cudaMemcpy(source, begin.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    relax(x, source, n, stream);

    const LoopTime loop;
    for (int step = 0; step < steps; step++)
        relax(x, source, n, stream);
    const double seconds = loop.seconds();
    print_case(device_sum(x, n), seconds);
    return 0;
}
