// This program is host_precond.cu, repaired. It makes the preconditioner a kernel.
#include "case.cuh"

constexpr int SIDE = 1024, N = SIDE * SIDE, ITERATIONS = 800;

__global__ void residual(double *r, const double *x, const double *b, const double *diagonal) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, column = i % SIDE;
    double sum = diagonal[i] * x[i];
    sum -= (column ? x[i - 1] : 0) + (column + 1 < SIDE ? x[i + 1] : 0);
    sum -= (i >= SIDE ? x[i - SIDE] : 0) + (i + SIDE < N ? x[i + SIDE] : 0);
    r[i] = b[i] - sum;
}

__global__ void correct(double *x, const double *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += 0.9 * z[i];
}

__global__ void precondition(double *z, const double *r, const double *diagonal) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = r[i] / diagonal[i];
}

static void iterate(double *x, double *r, double *z, const double *b, const double *device_diagonal) {
    residual<<<N / 256, 256>>>(r, x, b, device_diagonal);
    precondition<<<N / 256, 256>>>(z, r, device_diagonal);
    correct<<<N / 256, 256>>>(x, z);
}

int main() {
    std::vector<double> diagonal(N), right(N);
    for (int i = 0; i < N; i++) {
        diagonal[i] = 4.0 + (i * 2654435761u >> 20 & 0xff) / 256.0;
        right[i] = (i % 1009) / 1009.0;
    }
    double *x, *r, *z, *b, *device_diagonal;
    for (double **vector : {&x, &r, &z, &b, &device_diagonal})
        CHECK(cudaMalloc(vector, sizeof(double) * N));
    CHECK(cudaMemset(x, 0, sizeof(double) * N));
    CHECK(cudaMemcpy(b, right.data(), sizeof(double) * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_diagonal, diagonal.data(), sizeof(double) * N, cudaMemcpyHostToDevice));
    iterate(x, r, z, b, device_diagonal);

    const LoopTime loop;
    for (int iteration = 0; iteration < ITERATIONS; iteration++)
        iterate(x, r, z, b, device_diagonal);
    double seconds = loop.seconds();

    CHECK(cudaMemcpy(right.data(), x, sizeof(double) * N, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double value : right)
        sum += value;
    std::printf("checksum %.6f\nloop %.3f\n", sum, seconds);
    return 0;
}
