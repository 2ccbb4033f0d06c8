// Blocks that are to overlap on two streams, as every guide says: copy in, work, copy out. But the memory is pageable,
// so each cudaMemcpyAsync holds the host until its copy is over, and the second stream never gets work in time.
#include "../example.cuh"

#include <vector>

constexpr int kBlocks = 16;

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 8)), bytes = n * sizeof(float);
    float *device[2];
    cudaStream_t stream[2];
    for (int s = 0; s < 2; s++) {
        CHECK(cudaMalloc(&device[s], bytes));
        CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    }
    std::vector<float> in(kBlocks * n), out(kBlocks * n);
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
    return 0;
}
