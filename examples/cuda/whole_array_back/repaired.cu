// wasteful.cu, repaired: each query copies the row that it wants. Columns and blocks go the same way, with
// cudaMemcpy2D.
#include "../example.cuh"

const int kQueries = 20 * repeats();
constexpr size_t kRow = 1024; // floats: 4 KiB

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *points, *table, *scores, *device_points, *copy, result = 0;
    CHECK(cudaMallocHost(&points, bytes));
    CHECK(cudaMalloc(&device_points, bytes));
    CHECK(cudaMalloc(&table, bytes));
    CHECK(cudaMalloc(&scores, kRow * sizeof(float)));
    load(points, n, 1);
    CHECK(cudaMemcpy(device_points, points, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(table, 0, bytes));
    CHECK(cudaMemset(scores, 0, kRow * sizeof(float)));
    xs_axpy<<<256, 256>>>(table, device_points, 0.5f, n);
    CHECK(cudaMallocHost(&copy, kRow * sizeof(float)));
    const LoopTime loop;
    for (int query = 0; query < kQueries; query++) {
        const size_t row = query * size_t(37) % (n / kRow);
        xs_axpy<<<4, 256>>>(scores, table + row * kRow, 0.1f, kRow);
        CHECK(cudaMemcpy(copy, table + row * kRow, kRow * sizeof(float), cudaMemcpyDeviceToHost));
        result += copy[kRow - 1];
    }
    loop.print();

    std::printf("result %.3f\n", result);
    CHECK(cudaFreeHost(points));
    CHECK(cudaFreeHost(copy));
    CHECK(cudaFree(device_points));
    CHECK(cudaFree(table));
    CHECK(cudaFree(scores));
    return 0;
}
