// wasteful.cu, repaired: peer copies, which go from GPU to GPU where the machine has a way between them, and events in
// place of a waiting host. Exits with 77 where there is one GPU only.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    float *field, *total, *received, *initial;
    cudaStream_t producer, consumer;
    cudaEvent_t sent, used;
    int devices, can_access;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        std::fprintf(stderr, "this example needs two GPUs\n");
        return 77;
    }
    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamCreate(&consumer));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    CHECK(cudaMalloc(&received, bytes));
    CHECK(cudaMalloc(&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreate(&producer));
    CHECK(cudaEventCreateWithFlags(&sent, cudaEventDisableTiming));
    CHECK(cudaDeviceCanAccessPeer(&can_access, 0, 1));
    if (can_access)
        CHECK(cudaDeviceEnablePeerAccess(1, 0)); // else the driver goes through the host itself
    CHECK(cudaMalloc(&field, bytes));
    CHECK(cudaMallocHost(&initial, bytes));
    load(initial, n, 1);
    CHECK(cudaMemcpy(field, initial, bytes, cudaMemcpyHostToDevice));
    const LoopTime loop;
    for (int step = 0; step < kSteps; step++) {
        CHECK(cudaSetDevice(0));
        xs_scale<<<256, 256, 0, producer>>>(field, 1.01f, n);
        CHECK(cudaStreamWaitEvent(producer, used, 0)); // what was received before has been used
        CHECK(cudaMemcpyPeerAsync(received, 1, field, 0, bytes, producer));
        CHECK(cudaEventRecord(sent, producer));
        CHECK(cudaSetDevice(1));
        CHECK(cudaStreamWaitEvent(consumer, sent, 0));
        xs_axpy<<<256, 256, 0, consumer>>>(total, received, 0.1f, n);
        CHECK(cudaEventRecord(used, consumer));
    }
    CHECK(cudaStreamSynchronize(consumer));
    loop.print();

    print_result(total);
    CHECK(cudaEventDestroy(sent));
    CHECK(cudaEventDestroy(used));
    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
    CHECK(cudaFree(received));
    CHECK(cudaFree(total));
    CHECK(cudaFree(field));
    CHECK(cudaFreeHost(initial));
    return 0;
}
