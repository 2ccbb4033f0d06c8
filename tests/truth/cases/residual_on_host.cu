// Each iteration of a relaxation brings its block sums, 8 KiB, to the host, which adds them up to see whether to go on.
// This kind was reported in ginkgo-project/ginkgo pull request 168. The repair adds them up on the device, and the host
// looks every 500 iterations.
#include "case.cuh"

#include <cmath>

static const int N = 1 << 20, BLOCK = 256, BLOCKS = 2048, STEPS = 30000;
__global__ void relax(const float *from, float *to, float *change) {
    __shared__ float sums[BLOCK];
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += BLOCKS * BLOCK) {
        float left = from[i ? i - 1 : N - 1], right = from[i + 1 < N ? i + 1 : 0],
              value = 0.25f * left + 0.5f * from[i] + 0.25f * right;
        to[i] = value;
        sum += fabsf(value - from[i]);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        change[blockIdx.x] = sums[0];
}
int main() {
    std::vector<float> start(N), change(BLOCKS);
    float *a, *b, *d;
    for (int i = 0; i < N; i++)
        start[i] = (i % 997 * 7919 % 1000) / 1000.0f;
    CHECK(cudaMalloc(&a, N * sizeof(float)));
    CHECK(cudaMalloc(&b, N * sizeof(float)));
    CHECK(cudaMalloc(&d, BLOCKS * sizeof(float)));
    CHECK(cudaMemcpy(a, start.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    const LoopTime loop;
    double total = 0;
    int step = 0;
    for (; step < STEPS; step++) {
        relax<<<BLOCKS, BLOCK>>>(a, b, d);
        std::swap(a, b);
        CHECK(cudaMemcpy(change.data(), d, BLOCKS * sizeof(float), cudaMemcpyDeviceToHost)); // <-- here
        total = 0;
        for (float c : change)
            total += c;
        if (total < 1e-6)
            break;
    }
    double seconds = loop.seconds();
    std::printf("checksum %d %.4f\nloop %.3f\n", step, total, seconds);
    return 0;
}
