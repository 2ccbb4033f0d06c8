// This program is register_each_copy.cu, repaired. It registers the buffer once.
#include "case.cuh"

static void upload(float *device, float *host, size_t bytes) {
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, 0));
    CHECK(cudaStreamSynchronize(0));
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
    CHECK(cudaHostRegister(batch.data(), bytes, cudaHostRegisterDefault));
    for (int i = 0; i < batches; i++) {
        load_some(batch.data(), n, i);
        upload(input, batch.data(), bytes);
        xs_axpy<<<n / 256, 256>>>(total, input, 0.01f, n);
    }
    CHECK(cudaHostUnregister(batch.data()));
    const double seconds = loop.seconds();
    print_case(device_sum(total, n), seconds);
    return 0;
}
