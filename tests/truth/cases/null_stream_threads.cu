// Four threads each upload a piece, work on it and fetch the result, with pinned memory and asynchronous copies. All
// use the default stream, so nothing overlaps. This kind was reported in mtazzari/galario issue 60 and kaldi-asr/kaldi
// pull request 1693. The repair gives each thread a stream of its own.
#include "case.cuh"

#include <thread>

constexpr int THREADS = 4, PIECES = 150, ROUNDS = 1500, SHIFT = 1024;
constexpr size_t N = size_t(16) << 20, BYTES = N * sizeof(float); // 64 MB

__global__ void work(float *to, const float *from) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    float value = from[i];
    for (int round = 0; round < ROUNDS; round++)
        value = value * 0.9995f + 0.00025f;
    to[i] = value;
}

struct Worker {
    float *source, *result, *device_in, *device_out;
    double sum;
};

static void run(Worker *worker) {
    for (int piece = 0; piece < PIECES; piece++) {
        const float *source = worker->source + size_t(piece) * SHIFT;
        CHECK(cudaMemcpyAsync(worker->device_in, source, BYTES, cudaMemcpyHostToDevice, 0)); // <-- here
        work<<<N / 256, 256>>>(worker->device_out, worker->device_in);
        CHECK(cudaMemcpyAsync(worker->result, worker->device_out, BYTES, cudaMemcpyDeviceToHost, 0)); // <-- here
        CHECK(cudaStreamSynchronize(0));
        for (size_t i = piece; i < N; i += 65537)
            worker->sum += worker->result[i];
    }
}

int main() {
    std::vector<Worker> workers(THREADS);
    for (int thread = 0; thread < THREADS; thread++) {
        Worker &worker = workers[thread];
        worker.sum = 0;
        CHECK(cudaMallocHost(&worker.source, BYTES + size_t(SHIFT) * PIECES * sizeof(float)));
        CHECK(cudaMallocHost(&worker.result, BYTES));
        CHECK(cudaMalloc(&worker.device_in, BYTES));
        CHECK(cudaMalloc(&worker.device_out, BYTES));
        for (size_t i = 0; i < N + size_t(SHIFT) * PIECES; i++)
            worker.source[i] = float((i * 2654435761u + thread * 40503u) >> 9 & 0xfff) / 4096.0f;
    }
    work<<<1, 256>>>(workers[0].device_out, workers[0].device_in);

    const LoopTime loop;
    std::vector<std::thread> threads;
    for (Worker &worker : workers)
        threads.emplace_back(run, &worker);
    for (std::thread &thread : threads)
        thread.join();
    double seconds = loop.seconds(), sum = 0;
    for (Worker &worker : workers)
        sum += worker.sum;
    std::printf("checksum %.5f\nloop %.3f\n", sum, seconds);
    return 0;
}
