// wasteful.cu, repaired: two streams take turns, each with a buffer of its own. While the kernel works on one batch,
// the results of the last go back and the next comes in.
#include "../example.cuh"

constexpr int kBatches = 32;

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 16)), bytes = n * sizeof(float);
    const int rounds = argument(argc, argv, 2, 4000);
    float *batches, *device_batch[2], result = 0;
    cudaStream_t stream[2];
    CHECK(cudaMallocHost(&batches, kBatches * bytes));
    for (int s = 0; s < 2; s++) {
        CHECK(cudaMalloc(&device_batch[s], bytes));
        CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    }
    for (int batch = 0; batch < kBatches; batch++)
        load(batches + batch * n, n, batch);
    const LoopTime loop;
    for (int i = 0; i < kBatches * repeats(); i++) {
        const int batch = i % kBatches, s = batch % 2;
        CHECK(cudaMemcpyAsync(device_batch[s], batches + batch * n, bytes, cudaMemcpyHostToDevice, stream[s]));
        xs_work<<<8192, 256, 0, stream[s]>>>(device_batch[s], n, rounds);
        CHECK(cudaMemcpyAsync(batches + batch * n, device_batch[s], bytes, cudaMemcpyDeviceToHost, stream[s]));
    }
    CHECK(cudaDeviceSynchronize());
    loop.print();

    for (int batch = 0; batch < kBatches; batch++)
        result += batches[batch * n];
    std::printf("result %.3f\n", result);
    CHECK(cudaFreeHost(batches));
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamDestroy(stream[s]));
        CHECK(cudaFree(device_batch[s]));
    }
    return 0;
}
