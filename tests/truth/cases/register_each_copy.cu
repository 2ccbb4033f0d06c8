// A library page-locks the caller's buffer before each copy and releases it afterwards, which takes longer than the
// copy. This kind was reported in NVIDIA-Genomics-Research/GenomeWorks pull request 481 and eunomia-bpf/bpftime issue
// 506. The repair registers the buffer once.
#include "case.cuh"

static void upload(float *device, float *host, size_t bytes) {
    CHECK(cudaHostRegister(host, bytes, cudaHostRegisterDefault)); // <-- here
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaHostUnregister(host)); // <-- here
}

int main() {
    const size_t n = floats_of_mib(full_or_small(64, 1)), bytes = n * sizeof(float);
    const int batches = full_or_small(100, 4);
    std::vector<float> batch(n);
    float *input, *total;
    CHECK(cudaMalloc(&input, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    load(batch.data(), n, 0);
    xs_axpy<<<n / 256, 256>>>(total, total, 0, n);

    const LoopTime loop;
    for (int i = 0; i < batches; i++) {
        load_some(batch.data(), n, i);
        upload(input, batch.data(), bytes); // <-- caller
        xs_axpy<<<n / 256, 256>>>(total, input, 0.01f, n);
    }
    const double seconds = loop.seconds();
    print_case(device_sum(total, n), seconds);
    return 0;
}
