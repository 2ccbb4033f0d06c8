// Managed arrays are filled on the host and used by a kernel once. Their pages come to the GPU one fault after the
// other while the kernel runs, which takes many times as long as its work. This kind was reported in the Stack Overflow
// question about Pascal GPUs that are slow with cudaMallocManaged. The repair prefetches the arrays before their
// kernels.
#include "case.cuh"

#include <thread>

constexpr int PAIRS = 12, PARTS = 1024, FILLERS = 8;
constexpr size_t N = size_t(64) << 20; // 256 MB of floats, so 6 GB in all

__global__ void add(float *y, const float *x, size_t n, double *parts) {
    __shared__ double sums[256];
    double sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        y[i] += 2 * x[i];
        sum += y[i];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sums[0];
}

static void fill(float *words, int seed) {
    std::vector<std::thread> fillers;
    for (int filler = 0; filler < FILLERS; filler++)
        fillers.emplace_back([=] {
            for (size_t i = N / FILLERS * filler; i < N / FILLERS * (filler + 1); i++)
                words[i] = float((i * 40503u + seed) & 0xff);
        });
    for (std::thread &filler : fillers)
        filler.join();
}

int main() {
    float *x[PAIRS], *y[PAIRS];
    double *parts;
    CHECK(cudaMalloc(&parts, sizeof(double) * PAIRS * PARTS));
    for (int pair = 0; pair < PAIRS; pair++) {
        CHECK(cudaMallocManaged(&x[pair], N * sizeof(float))); // <-- here
        CHECK(cudaMallocManaged(&y[pair], N * sizeof(float))); // <-- here
        fill(x[pair], pair);
        fill(y[pair], pair + 100);
    }
    add<<<1, 256>>>(nullptr, nullptr, 0, parts);

    const LoopTime loop;
    for (int pair = 0; pair < PAIRS; pair++)
        add<<<PARTS, 256>>>(y[pair], x[pair], N, parts + pair * PARTS); // <-- here
    double seconds = loop.seconds();

    std::vector<double> all(PAIRS * PARTS);
    CHECK(cudaMemcpy(all.data(), parts, sizeof(double) * all.size(), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double part : all)
        sum += part;
    std::printf("checksum %.1f\nloop %.3f\n", sum, seconds);
    return 0;
}
