// wasteful.cu, repaired: only the block is copied, with cudaMemcpy2D. The mean could also be computed by a kernel.
#include "../example.cuh"

const int kSteps = 20 * repeats();
constexpr size_t kWidth = 1024;             // floats in a row of the image
constexpr size_t kSide = 128;               // rows and columns of the block
constexpr size_t kFirst = 64 * kWidth + 64; // the block's first float

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *image, *device_image, *block, result = 0;
    CHECK(cudaMallocHost(&image, bytes));
    CHECK(cudaMallocHost(&block, kSide * kSide * sizeof(float)));
    CHECK(cudaMalloc(&device_image, bytes));
    load(image, n, 1);
    CHECK(cudaMemcpy(device_image, image, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        CHECK(cudaMemcpy2D(block, kSide * sizeof(float), device_image + kFirst, kWidth * sizeof(float),
                           kSide * sizeof(float), kSide, cudaMemcpyDeviceToHost));
        float sum = 0;
        for (size_t i = 0; i < kSide * kSide; i++)
            sum += block[i];
        const float mean = sum / (kSide * kSide);
        xs_scale<<<256, 256>>>(device_image, 1 / (1 + 0.1f * mean), n);
        result += mean;
    }
    loop.print();

    std::printf("result %.3f\n", result);
    CHECK(cudaFreeHost(image));
    CHECK(cudaFreeHost(block));
    CHECK(cudaFree(device_image));
    return 0;
}
