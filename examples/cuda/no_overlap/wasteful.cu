// Batches that go through the device one after another: upload, work, download. The memory is pinned and the calls are
// asynchronous, yet copies wait for kernels and kernels for copies, because all of them are on one stream.
#include "../example.cuh"

constexpr int kBatches = 32;

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 16)), bytes = n * sizeof(float);
    const int rounds = argument(argc, argv, 2, 4000);
    float *batches, *device_batch[2], result = 0;
    CHECK(cudaMallocHost(&batches, kBatches * bytes));
    for (int s = 0; s < 2; s++)
        CHECK(cudaMalloc(&device_batch[s], bytes));
    for (int batch = 0; batch < kBatches; batch++)
        load(batches + batch * n, n, batch);
    const LoopTime loop;
    for (int i = 0; i < kBatches * repeats(); i++) {
        const int batch = i % kBatches, s = batch % 2;
        CHECK(cudaMemcpyAsync(device_batch[s], batches + batch * n, bytes, cudaMemcpyHostToDevice));
        xs_work<<<8192, 256>>>(device_batch[s], n, rounds);
        CHECK(cudaMemcpyAsync(batches + batch * n, device_batch[s], bytes, cudaMemcpyDeviceToHost));
    }
    CHECK(cudaDeviceSynchronize());
    loop.print();

    for (int batch = 0; batch < kBatches; batch++)
        result += batches[batch * n];
    std::printf("result %.3f\n", result);
    CHECK(cudaFreeHost(batches));
    for (int s = 0; s < 2; s++)
        CHECK(cudaFree(device_batch[s]));
    return 0;
}
