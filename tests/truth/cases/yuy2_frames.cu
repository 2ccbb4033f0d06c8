// The colour conversion of a camera's frames allocates its device buffers for each frame and frees them afterwards.
// This kind was reported in realsenseai/librealsense issue 11692. The repair keeps the buffers.
#include "case.cuh"

#include <cstdint>

constexpr int PIXELS = 1920 * 1080, FRAMES = 1500, SHIFT = 4096;

__device__ uint8_t clamped(float value) { return value < 0 ? 0 : value > 255 ? 255 : uint8_t(value); }

__global__ void to_rgb(uint8_t *rgb, const uint8_t *yuy2) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= PIXELS / 2)
        return;
    float u = yuy2[pair * 4 + 1] - 128.0f, v = yuy2[pair * 4 + 3] - 128.0f;
    for (int half = 0; half < 2; half++) {
        float y = yuy2[pair * 4 + half * 2];
        uint8_t *pixel = rgb + (pair * 2 + half) * 3;
        pixel[0] = clamped(y + 1.402f * v);
        pixel[1] = clamped(y - 0.344f * u - 0.714f * v);
        pixel[2] = clamped(y + 1.772f * u);
    }
}

static void convert(uint8_t *rgb, const uint8_t *yuy2) {
    uint8_t *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, PIXELS * 2)); // <-- only here
    CHECK(cudaMemcpy(device_in, yuy2, PIXELS * 2, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&device_out, PIXELS * 3)); // <-- only here
    to_rgb<<<(PIXELS / 2 + 255) / 256, 256>>>(device_out, device_in);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(rgb, device_out, PIXELS * 3, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
}

int main() {
    std::vector<uint8_t> camera(PIXELS * 2 + size_t(SHIFT) * FRAMES), rgb(PIXELS * 3);
    for (size_t i = 0; i < camera.size(); i++)
        camera[i] = uint8_t((i * 2654435761u) >> 13);
    convert(rgb.data(), camera.data());

    uint64_t sum = 0;
    const LoopTime loop;
    for (int frame = 0; frame < FRAMES; frame++) {
        convert(rgb.data(), camera.data() + size_t(frame) * SHIFT);
        for (size_t i = 0; i < rgb.size(); i += 65537)
            sum += rgb[i];
    }
    double seconds = loop.seconds();
    std::printf("checksum %llu\nloop %.3f\n", (unsigned long long)sum, seconds);
    return 0;
}
