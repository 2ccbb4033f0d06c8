/* Case 15: every way to copy in one program, two threads, and nothing to find. Capture and 100 graph launches, boxes of
 * two and three dimensions, a batch, the default stream of each thread, two threads on two streams.
 *
 * build: -DCUDA_API_PER_THREAD_DEFAULT_STREAM
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Each content goes up once, a kernel changes it, and each result comes down once. No call waits for an asynchronous
 * copy: an event behind it is asked until it is over.
 * !
 *
 * Host side: 2 captured; a box of 2 and of 3 dimensions each way; 3 of the batch up, and their result down; one up and
 * down in the default stream of each thread; 8 up and down of each of two threads.
 * > SELECT direction, is_captured, count(*), sum(bytes), sum(result) FROM transfers GROUP BY 1, 2 ORDER BY 1, 2
 * d2h|0|21|150416|0
 * d2h|1|1|4096|0
 * h2d|0|23|150416|0
 * h2d|1|1|4096|0
 *
 * > SELECT height, coalesce(depth, 1), count(*), sum(bytes) FROM transfer WHERE height > 1 GROUP BY 1, 2 ORDER BY 1
 * 12|10|2|9600
 * 64|1|2|12800
 *
 * needs: cupti
 * > SELECT count(DISTINCT correlation), count(*), min(batch_index), max(batch_index), sum(bytes) FROM transfer
 * > WHERE batch_index IS NOT NULL
 * 1|3|0|2|6144
 *
 * The default stream is each thread's own; each of the two has another stream besides:
 * > SELECT s.handle = 2, count(DISTINCT t.stream), count(DISTINCT t.thread), count(*) FROM transfer t
 * > JOIN stream s ON s.id = t.stream
 * > WHERE t.bytes IN (1000, 8192) GROUP BY 1 ORDER BY 1
 * 0|2|2|32
 * 1|2|2|4
 *
 * Device side: the same and no more, the graph's apart, none twice:
 * needs: cupti
 * > SELECT without_record, without_event, kind_mismatch, host_failed, host_captured, device_copies,
 * > device_copies_graph FROM coverage
 * 0|0|0|0|2|44|200
 *
 * needs: cupti
 * > SELECT direction, count(*), sum(t.bytes), sum(c.bytes) FROM transfers t
 * > JOIN device_copy_by_call c USING (correlation)
 * > WHERE t.batch_index IS NULL AND t.is_captured = 0 GROUP BY 1 ORDER BY 1
 * d2h|21|150416|150416
 * h2d|20|144272|144272
 */
#include "cases.h"

#include <cuda.h>
#include <pthread.h>

enum { WIDTH = 100, ROWS = 64, BOX_WIDTH = 40, BOX_ROWS = 12, BOX_DEPTH = 10, OWN = 1000, STEP = 8192, STEPS = 8 };

typedef CUresult (*batch_call)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                               CUstream);

static void wait_by_asking(cudaStream_t stream) {
    cudaEvent_t event;
    cudaError_t answer;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    OK(cudaEventRecord(event, stream));
    while ((answer = cudaEventQuery(event)) == cudaErrorNotReady)
        cudaGetLastError(); // which would have it, too
    OK(answer);
    OK(cudaEventDestroy(event));
}

static void graph() {
    const size_t bytes = 4096;
    unsigned char *host = case_pinned(2 * bytes), *device = case_device(bytes);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    case_change(device, bytes, stream);
    OK(cudaMemcpyAsync(host + bytes, device, bytes, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < 100; i++) {
        case_fill(host, bytes, 100 + i);
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        case_expect(host + bytes, bytes, 100 + i, 1);
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
}

static void rectangle() {
    const size_t bytes = WIDTH * ROWS;
    unsigned char *host = case_pinned(bytes);
    void *device;
    size_t pitch;

    case_fill(host, bytes, 1);
    OK(cudaMallocPitch(&device, &pitch, WIDTH, ROWS));
    OK(cudaMemcpy2D(device, pitch, host, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    for (size_t row = 0; row < ROWS; row++)
        case_change(static_cast<char *>(device) + row * pitch, WIDTH);
    memset(host, 0, bytes);
    OK(cudaMemcpy2D(host, WIDTH, device, pitch, WIDTH, ROWS, cudaMemcpyDeviceToHost));
    case_expect(host, bytes, 1, 1);
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
}

static void box() {
    const size_t bytes = BOX_WIDTH * BOX_ROWS * BOX_DEPTH;
    unsigned char *host = case_pinned(bytes);
    cudaPitchedPtr device;
    cudaMemcpy3DParms copy = {};

    case_fill(host, bytes, 2);
    OK(cudaMalloc3D(&device, make_cudaExtent(BOX_WIDTH, BOX_ROWS, BOX_DEPTH)));
    copy.extent = make_cudaExtent(BOX_WIDTH, BOX_ROWS, BOX_DEPTH);
    copy.srcPtr = make_cudaPitchedPtr(host, BOX_WIDTH, BOX_WIDTH, BOX_ROWS);
    copy.dstPtr = device;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    for (size_t row = 0; row < static_cast<size_t>(BOX_ROWS) * BOX_DEPTH; row++)
        case_change(static_cast<char *>(device.ptr) + row * device.pitch, BOX_WIDTH);
    memset(host, 0, bytes);
    copy.dstPtr = copy.srcPtr, copy.srcPtr = device;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    case_expect(host, bytes, 2, 1);
    OK(cudaFree(device.ptr));
    OK(cudaFreeHost(host));
}

static void batch(batch_call copy) {
    unsigned char *host = case_pinned(6144), *device = case_device(6144);
    size_t sizes[3] = {1024, 2048, 3072}, first = 0, at = 0;
    CUdeviceptr dsts[3], srcs[3];
    CUmemcpyAttributes attributes = {};
    cudaStream_t stream;

    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(host, 6144, 3);
    for (int i = 0; i < 3; at += sizes[i++]) {
        dsts[i] = reinterpret_cast<CUdeviceptr>(device + at);
        srcs[i] = reinterpret_cast<CUdeviceptr>(host + at);
    }
    OK(copy(dsts, srcs, sizes, 3, &attributes, &first, 1, stream));
    case_change(device, 6144, stream);
    OK(cudaStreamSynchronize(stream));
    case_down(host, device, 6144);
    case_expect(host, 6144, 3, 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
}

static void *thread_main(void *argument) {
    unsigned number = *static_cast<unsigned *>(argument);
    unsigned char *host = case_pinned(STEP), *device = case_device(STEP);
    cudaStream_t stream;

    case_fill(host, OWN, 10 + number);
    case_up(device, host, OWN);
    case_change(device, OWN);
    case_down(host, device, OWN);
    case_expect(host, OWN, 10 + number, 1);

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned seed = 1000 + number * STEPS + i;
        case_fill(host, STEP, seed);
        OK(cudaMemcpyAsync(device, host, STEP, cudaMemcpyHostToDevice, stream));
        case_change(device, STEP, stream);
        OK(cudaMemcpyAsync(host, device, STEP, cudaMemcpyDeviceToHost, stream));
        wait_by_asking(stream);
        case_expect(host, STEP, seed, 1);
    }
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFreeHost(host));
    return nullptr;
}

int main() {
    unsigned numbers[2] = {0, 1};
    pthread_t threads[2];
    batch_call copy;
    int version;

    OK(cuInit(0));
    OK(cuDriverGetVersion(&version));
    if (version < 13000)
        return E2E_SKIP;
    OK(cuGetProcAddress("cuMemcpyBatchAsync", reinterpret_cast<void **>(&copy), 13000, CU_GET_PROC_ADDRESS_DEFAULT,
                        nullptr));
    graph();
    rectangle();
    box();
    batch(copy);
    for (int i = 0; i < 2; i++)
        OK(pthread_create(&threads[i], nullptr, thread_main, &numbers[i]));
    for (pthread_t thread : threads)
        OK(pthread_join(thread, nullptr));
    puts("data ok");
    return 0;
}
