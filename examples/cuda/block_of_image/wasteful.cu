// An image that a kernel changes in each step by the mean of one block of it. The host computes the mean, and gets the
// whole image for that. Rodinia's srad_v2 does the same.
#include "../example.cuh"

const int kSteps = 20 * repeats();
constexpr size_t kWidth = 1024;             // floats in a row of the image
constexpr size_t kSide = 128;               // rows and columns of the block
constexpr size_t kFirst = 64 * kWidth + 64; // the block's first float

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *image, *device_image, result = 0;
    CHECK(cudaMallocHost(&image, bytes));
    CHECK(cudaMalloc(&device_image, bytes));
    load(image, n, 1);
    CHECK(cudaMemcpy(device_image, image, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        CHECK(cudaMemcpy(image, device_image, bytes, cudaMemcpyDeviceToHost));
        float sum = 0;
        for (size_t row = 0; row < kSide; row++)
            for (size_t column = 0; column < kSide; column++)
                sum += image[kFirst + row * kWidth + column];
        const float mean = sum / (kSide * kSide);
        xs_scale<<<256, 256>>>(device_image, 1 / (1 + 0.1f * mean), n);
        result += mean;
    }
    loop.print();

    std::printf("result %.3f\n", result);
    CHECK(cudaFreeHost(image));
    CHECK(cudaFree(device_image));
    return 0;
}
