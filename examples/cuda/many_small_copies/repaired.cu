// wasteful.cu, repaired: the rows are packed into one page-locked buffer and sent with one copy.
#include "../example.cuh"

#include <algorithm>
#include <vector>

const int kSteps = 10 * repeats();

int main(int argc, char **argv) {
    const int row_count = argument(argc, argv, 1, 2000);
    std::vector<std::vector<float>> rows;
    size_t n = 0;
    for (int row = 0; row < row_count; row++) {
        rows.emplace_back(64 + row * 37 % 960); // 256 bytes to 4 KiB
        n += rows.back().size();
    }
    float *packed, *device_rows, *total;
    CHECK(cudaMalloc(&device_rows, n * sizeof(float)));
    CHECK(cudaMalloc(&total, n * sizeof(float)));
    CHECK(cudaMemset(total, 0, n * sizeof(float)));
    const LoopTime loop;
    CHECK(cudaMallocHost(&packed, n * sizeof(float)));
    for (int step = 0; step < kSteps; step++) {
        size_t offset = 0;
        for (int row = 0; row < row_count; row++)
            load(rows[row].data(), rows[row].size(), step * row_count + row);
        for (const std::vector<float> &row : rows) {
            std::copy(row.begin(), row.end(), packed + offset);
            offset += row.size();
        }
        CHECK(cudaMemcpy(device_rows, packed, n * sizeof(float), cudaMemcpyHostToDevice));
        xs_axpy<<<256, 256>>>(total, device_rows, 0.1f, n);
    }
    loop.print();

    print_result(total);
    CHECK(cudaFreeHost(packed));
    CHECK(cudaFree(device_rows));
    CHECK(cudaFree(total));
    return 0;
}
