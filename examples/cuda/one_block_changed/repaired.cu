// wasteful.cu, repaired: a step sends the block that it changed.
#include "../example.cuh"

const int kSteps = 20 * repeats();
constexpr size_t kBlock = 8192; // floats: 32 KiB

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *table, *device_table, *total;
    CHECK(cudaMallocHost(&table, bytes));
    CHECK(cudaMalloc(&device_table, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    load(table, n, 0);
    CHECK(cudaMemcpy(device_table, table, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    for (int step = 1; step <= kSteps; step++) {
        const size_t block = step * size_t(13) % (n / kBlock) * kBlock;
        load(table + block, kBlock, step);
        CHECK(cudaMemcpy(device_table + block, table + block, kBlock * sizeof(float), cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(total, device_table, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFreeHost(table));
    CHECK(cudaFree(device_table));
    CHECK(cudaFree(total));
    return 0;
}
