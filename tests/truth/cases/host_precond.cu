// The solver runs on the GPU, but its preconditioner does not. In each iteration the residual is fetched, divided by
// the diagonal on the host, and sent back. This kind was reported in su2code/SU2 pull request 2825 and ddemidov/amgcl
// issue 314. The repair makes the preconditioner a kernel.
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

static void precondition(std::vector<double> &z, const std::vector<double> &r, const std::vector<double> &diagonal) {
    for (int i = 0; i < N; i++)
        z[i] = r[i] / diagonal[i];
}

static void iterate(double *x, double *r, double *z, const double *b, const double *device_diagonal,
                    const std::vector<double> &diagonal, std::vector<double> &r_host, std::vector<double> &z_host) {
    residual<<<N / 256, 256>>>(r, x, b, device_diagonal);
    CHECK(cudaMemcpy(r_host.data(), r, sizeof(double) * N, cudaMemcpyDeviceToHost)); // <-- here
    precondition(z_host, r_host, diagonal);
    CHECK(cudaMemcpy(z, z_host.data(), sizeof(double) * N, cudaMemcpyHostToDevice)); // <-- here
    correct<<<N / 256, 256>>>(x, z);
}

int main() {
    std::vector<double> diagonal(N), right(N), r_host(N), z_host(N);
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
    iterate(x, r, z, b, device_diagonal, diagonal, r_host, z_host);

    const LoopTime loop;
    for (int iteration = 0; iteration < ITERATIONS; iteration++)
        iterate(x, r, z, b, device_diagonal, diagonal, r_host, z_host);
    double seconds = loop.seconds();

    CHECK(cudaMemcpy(right.data(), x, sizeof(double) * N, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double value : right)
        sum += value;
    std::printf("checksum %.6f\nloop %.3f\n", sum, seconds);
    return 0;
}
