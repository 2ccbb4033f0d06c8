// A program of every way to copy that the runtime has on one device, in rounds; prints what it computed, the same on
// every GPU. It is built twice, on the static and on the shared runtime, and runs unmodified under xferspy.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/sim/kernels.cuh"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));             \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

static const size_t kFloats = 1u << 18, kBytes = kFloats * sizeof(float); // 1 MiB
static const int kRounds = 20, kThreads = 4;

static void fill(float *x, size_t n, int seed) {
    for (size_t i = 0; i < n; i++)
        x[i] = static_cast<float>((i * 7 + static_cast<size_t>(seed)) % 64);
}

// Small whole numbers: the sum is exact.
static long sum(const float *x, size_t n) {
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += x[i];
    return static_cast<long>(total);
}

static void pageable_and_pinned() {
    float *device, *pinned, *registered = static_cast<float *>(std::aligned_alloc(4096, kBytes));
    float *pageable = static_cast<float *>(std::malloc(kBytes));
    long total = 0;
    CHECK(cudaMalloc(&device, kBytes));
    CHECK(cudaMallocHost(&pinned, kBytes));
    CHECK(cudaHostRegister(registered, kBytes, cudaHostRegisterDefault));
    for (int round = 0; round < kRounds; round++) {
        fill(pageable, kFloats, round);
        CHECK(cudaMemcpy(device, pageable, kBytes, cudaMemcpyHostToDevice));
        xs_scale<<<64, 256>>>(device, 2.0f, kFloats);
        CHECK(cudaMemcpy(pinned, device, kBytes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(device, pinned, kBytes / 2, cudaMemcpyDefault));
        CHECK(cudaMemcpy(registered, device, kBytes / 4, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(pageable, device, 4, cudaMemcpyDeviceToHost));
        total += sum(pinned, kFloats) + sum(registered, kFloats / 4) + static_cast<long>(pageable[0]);
    }
    CHECK(cudaHostUnregister(registered));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    std::free(registered);
    std::free(pageable);
    std::printf("pageable and pinned %ld\n", total);
}

static void streams_and_events() {
    const int count = 4;
    cudaStream_t streams[count];
    cudaEvent_t done;
    float *device, *pinned;
    long total = 0;
    CHECK(cudaMalloc(&device, count * kBytes));
    CHECK(cudaMallocHost(&pinned, 2 * count * kBytes));
    CHECK(cudaEventCreate(&done));
    for (int s = 0; s < count; s++)
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    for (int round = 0; round < kRounds; round++) {
        fill(pinned, count * kFloats, round);
        for (int s = 0; s < count; s++) {
            float *up = pinned + static_cast<size_t>(s) * kFloats, *down = up + count * kFloats;
            float *x = device + static_cast<size_t>(s) * kFloats;
            CHECK(cudaMemcpyAsync(x, up, kBytes, cudaMemcpyHostToDevice, streams[s]));
            xs_scale<<<64, 256, 0, streams[s]>>>(x, static_cast<float>(s + 1), kFloats);
            CHECK(cudaMemcpyAsync(down, x, kBytes, cudaMemcpyDeviceToHost, streams[s]));
        }
        CHECK(cudaEventRecord(done, streams[0]));
        CHECK(cudaEventSynchronize(done));
        CHECK(cudaDeviceSynchronize());
        total += sum(pinned + count * kFloats, count * kFloats);
    }
    for (int s = 0; s < count; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    std::printf("streams and events %ld\n", total);
}

static void two_dimensions() {
    const size_t width = 1000, height = 64;
    static unsigned char host[width * height], back[width * height];
    unsigned char *device;
    size_t pitch;
    long total = 0;
    CHECK(cudaMallocPitch(reinterpret_cast<void **>(&device), &pitch, width, height));
    for (int round = 0; round < kRounds; round++) {
        std::memset(host, round, sizeof host);
        CHECK(cudaMemcpy2D(device, pitch, host, width, width, height, cudaMemcpyHostToDevice));
        xs_add_one_u8<<<16, 256>>>(device, pitch * height);
        CHECK(cudaMemcpy2D(back, width, device, pitch, width, height, cudaMemcpyDeviceToHost));
        total += back[0] + back[sizeof back - 1];
    }
    CHECK(cudaFree(device));
    std::printf("two dimensions %ld\n", total);
}

static void graph() {
    cudaStream_t stream;
    cudaGraph_t recorded;
    cudaGraphExec_t exec;
    float *device, *pinned;
    long total = 0;
    CHECK(cudaMalloc(&device, kBytes));
    CHECK(cudaMallocHost(&pinned, 2 * kBytes));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream));
    xs_scale<<<64, 256, 0, stream>>>(device, 3.0f, kFloats);
    CHECK(cudaMemcpyAsync(pinned + kFloats, device, kBytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &recorded));
    CHECK(cudaGraphInstantiate(&exec, recorded, 0));
    for (int round = 0; round < kRounds; round++) {
        fill(pinned, kFloats, round);
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        total += sum(pinned + kFloats, kFloats);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(recorded));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    std::printf("graph %ld\n", total);
}

static void pool() {
    cudaStream_t stream;
    float *pinned;
    long total = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&pinned, 2 * kBytes));
    for (int round = 0; round < kRounds; round++) {
        float *a, *b;
        fill(pinned, kFloats, round);
        CHECK(cudaMallocAsync(reinterpret_cast<void **>(&a), kBytes, stream));
        CHECK(cudaMallocAsync(reinterpret_cast<void **>(&b), kBytes, stream));
        CHECK(cudaMemsetAsync(b, 0, kBytes, stream));
        CHECK(cudaMemcpyAsync(a, pinned, kBytes, cudaMemcpyHostToDevice, stream));
        xs_axpy<<<64, 256, 0, stream>>>(b, a, 2.0f, kFloats);
        CHECK(cudaMemcpyAsync(a, b, kBytes, cudaMemcpyDeviceToDevice, stream));
        CHECK(cudaMemcpyAsync(pinned + kFloats, a, kBytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(a, stream));
        CHECK(cudaFreeAsync(b, stream));
        CHECK(cudaStreamSynchronize(stream));
        total += sum(pinned + kFloats, kFloats);
    }
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(stream));
    std::printf("pool %ld\n", total);
}

static void managed() {
    float *memory;
    long total = 0;
    CHECK(cudaMallocManaged(&memory, kBytes));
    for (int round = 0; round < kRounds; round++) {
        fill(memory, kFloats, round);
        xs_scale<<<64, 256>>>(memory, 2.0f, kFloats);
        CHECK(cudaDeviceSynchronize());
        total += sum(memory, kFloats);
    }
    CHECK(cudaFree(memory));
    std::printf("managed %ld\n", total);
}

struct share {
    int number;
    long total;
};

static void *thread_work(void *argument) {
    share *mine = static_cast<share *>(argument);
    cudaStream_t stream;
    float *device, *host = static_cast<float *>(std::malloc(2 * kBytes));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&device, kBytes));
    for (int round = 0; round < kRounds; round++) {
        size_t n = kFloats / static_cast<size_t>(mine->number + 1);
        fill(host, n, round + mine->number);
        CHECK(cudaMemcpyAsync(device, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
        xs_scale<<<64, 256, 0, stream>>>(device, 2.0f, n);
        CHECK(cudaMemcpyAsync(host + kFloats, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        mine->total += sum(host + kFloats, n);
    }
    CHECK(cudaFree(device));
    CHECK(cudaStreamDestroy(stream));
    std::free(host);
    return nullptr;
}

static void threads() {
    pthread_t ids[kThreads];
    share shares[kThreads];
    long total = 0;
    for (int i = 0; i < kThreads; i++) {
        shares[i] = {i, 0};
        pthread_create(&ids[i], nullptr, thread_work, &shares[i]);
    }
    for (int i = 0; i < kThreads; i++) {
        pthread_join(ids[i], nullptr);
        total += shares[i].total;
    }
    std::printf("threads %ld\n", total);
}

int main() {
    pageable_and_pinned();
    streams_and_events();
    two_dimensions();
    graph();
    pool();
    managed();
    threads();
    std::printf("done\n");
    return 0;
}
