// wasteful.cu, repaired: input and output are page-locked, so that cudaMemcpyAsync only queues the copy. Both
// directions and the kernels then run at the same time.
#include "../example.cuh"

constexpr int kBlocks = 16;

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 8)), bytes = n * sizeof(float);
    float *in, *out, *device[2];
    cudaStream_t stream[2];
    for (int s = 0; s < 2; s++) {
        CHECK(cudaMalloc(&device[s], bytes));
        CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    }
    CHECK(cudaMallocHost(&in, kBlocks * bytes));
    CHECK(cudaMallocHost(&out, kBlocks * bytes));
    for (int block = 0; block < kBlocks; block++)
        load_some(&in[block * n], n, block);
    const LoopTime loop;
    for (int i = 0; i < kBlocks * repeats(); i++) {
        const int block = i % kBlocks, s = block % 2;
        CHECK(cudaMemcpyAsync(device[s], &in[block * n], bytes, cudaMemcpyHostToDevice, stream[s]));
        xs_scale<<<256, 256, 0, stream[s]>>>(device[s], 2.0f, n);
        CHECK(cudaMemcpyAsync(&out[block * n], device[s], bytes, cudaMemcpyDeviceToHost, stream[s]));
    }
    CHECK(cudaDeviceSynchronize());
    loop.print();

    std::printf("result %.3f\n", out[(kBlocks - 1) * n]);
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamDestroy(stream[s]));
        CHECK(cudaFree(device[s]));
    }
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return 0;
}
