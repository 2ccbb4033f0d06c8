/* Fingerprints are taken while a stream captures: no capture is broken, graphs do what they should, and each copy has
 * its content, or the reason why it has none. Each round has its own context, so that things that are made once for a
 * context are made during a capture.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Four rounds: another thread captures in the global, the thread-local and the relaxed mode, then the copying thread
 * itself. A copy's size tells its round and what it is. Captured ones have no content. Of the others only those in the
 * legacy default stream are left alone by the device; the host helps where the copy is over when the call returns.
 * > SELECT bytes / 4096 - 1, bytes % 4096, direction, taken_on, before IS NOT NULL, missing, content = (SELECT content
 * >   FROM fingerprints g WHERE g.bytes = f.bytes AND g.direction = 'h2d') FROM fingerprints f
 * > ORDER BY bytes, direction DESC
 * 0|32|h2d||0|another thread's stream capture forbids it|
 * 0|48|h2d|device|1||1
 * 0|48|d2h|device|0||1
 * 0|64|h2d||0|captured into a graph|
 * 0|64|d2h||0|captured into a graph|
 * 0|80|h2d|device|1||1
 * 1|16|h2d|host|0||1
 * 1|16|d2h|host|0||1
 * 1|32|h2d||0|another thread's stream capture forbids it|
 * 1|48|h2d|device|1||1
 * 1|48|d2h|device|0||1
 * 1|64|h2d||0|captured into a graph|
 * 1|64|d2h||0|captured into a graph|
 * 1|80|h2d|device|1||1
 * 2|16|h2d|host|0||1
 * 2|16|d2h|host|0||1
 * 2|32|h2d||0|another thread's stream capture forbids it|
 * 2|48|h2d|device|1||1
 * 2|48|d2h|device|0||1
 * 2|64|h2d||0|captured into a graph|
 * 2|64|d2h||0|captured into a graph|
 * 2|80|h2d|device|1||1
 * 3|32|h2d||0|another thread's stream capture forbids it|
 * 3|48|h2d|device|1||1
 * 3|48|d2h|device|0||1
 * 3|64|h2d||0|captured into a graph|
 * 3|64|d2h||0|captured into a graph|
 * 3|80|h2d|device|1||1
 *
 * needs: cupti
 * > SELECT host_transfers, host_captured, host_failed, without_record, without_event, device_copies_graph FROM coverage
 * 28|8|0|0|0|8
 *
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM device_memset), (SELECT count(*) FROM note
 * > WHERE topic = 'fingerprint')
 * 0|0|0
 */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "../check.h"

enum { BLOCKING = 16, DEFAULT_STREAM = 32, OTHER_STREAM = 48, CAPTURED = 64, AFTERWARDS = 80 };

static CUcontext context;
static CUstream captured;
static CUgraph graph;
static CUstreamCaptureMode mode;
static CUdeviceptr captured_memory;
static unsigned char *captured_host; /* source, then destination */
static size_t captured_bytes;
static pthread_barrier_t barrier;

static void capture_copies(void) {
    OK(cuMemcpyHtoDAsync(captured_memory, captured_host, captured_bytes, captured));
    OK(cuMemcpyDtoHAsync(captured_host + captured_bytes, captured_memory, captured_bytes, captured));
}

static void *capture(void *unused) {
    OK(cuCtxSetCurrent(context));
    OK(cuStreamBeginCapture(captured, mode));
    OK(cuMemcpyHtoDAsync(captured_memory, captured_host, captured_bytes, captured));
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier); /* the other thread has copied meanwhile */
    OK(cuMemcpyDtoHAsync(captured_host + captured_bytes, captured_memory, captured_bytes, captured));
    OK(cuStreamEndCapture(captured, &graph));
    return unused;
}

static void run_graph(unsigned seed) {
    CUgraphExec exec;
    e2e_fill(captured_host, captured_bytes, seed);
    memset(captured_host + captured_bytes, 0, captured_bytes);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, captured));
    OK(cuStreamSynchronize(captured));
    e2e_expect(captured_host + captured_bytes, captured_bytes, seed);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

/* Plays one round. `blocking`: the mode of the capture allows blocking copies meanwhile, because they do not wait for
 * captured work. */
static void play(unsigned number, int by_this_thread, int blocking) {
    size_t base = 4096 * (number + 1);
    unsigned char *host = malloc(base + BLOCKING), *pinned;
    CUdeviceptr device;
    CUstream other;
    pthread_t thread;

    OK(cuCtxCreate(&context, NULL, 0, 0));
    captured_bytes = base + CAPTURED;
    OK(cuMemAlloc(&device, 4 * 32768));
    OK(cuMemAlloc(&captured_memory, captured_bytes));
    OK(cuMemAllocHost((void **)&captured_host, 2 * captured_bytes));
    OK(cuMemAllocHost((void **)&pinned, 4 * 32768));
    OK(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    e2e_fill(host, base + BLOCKING, number);
    e2e_fill(pinned, 4 * 32768, number);

    if (by_this_thread) {
        OK(cuStreamBeginCapture(captured, mode));
    } else {
        OK(pthread_create(&thread, NULL, capture, NULL));
        pthread_barrier_wait(&barrier);
    }
    OK(cuMemcpyHtoDAsync(device, pinned, base + OTHER_STREAM, other)); /* everything is made for it */
    OK(cuMemcpyDtoHAsync(pinned + 32768, device, base + OTHER_STREAM, other));
    OK(cuMemcpyHtoDAsync(device + 32768, pinned, base + DEFAULT_STREAM, NULL));
    if (blocking) {
        OK(cuMemcpyHtoD(device + 65536, host, base + BLOCKING));
        memset(host, 0, base + BLOCKING);
        OK(cuMemcpyDtoH(host, device + 65536, base + BLOCKING));
        e2e_expect(host, base + BLOCKING, number);
    }
    if (by_this_thread) {
        capture_copies();
        OK(cuStreamEndCapture(captured, &graph));
    } else {
        pthread_barrier_wait(&barrier);
        OK(pthread_join(thread, NULL));
    }
    OK(cuCtxSynchronize());
    e2e_expect(pinned + 32768, base + OTHER_STREAM, number);
    run_graph(100 + number);
    OK(cuMemcpyHtoDAsync(device + 98304, pinned, base + AFTERWARDS, NULL));
    OK(cuCtxSynchronize());

    OK(cuStreamDestroy(captured));
    OK(cuStreamDestroy(other));
    OK(cuMemFree(device));
    OK(cuMemFree(captured_memory));
    OK(cuMemFreeHost(captured_host));
    OK(cuMemFreeHost(pinned));
    OK(cuCtxDestroy(context));
    free(host);
}

int main(void) {
    OK(cuInit(0));
    OK(pthread_barrier_init(&barrier, NULL, 2));
    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    play(0, 0, 0);
    mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    play(1, 0, 1);
    mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    play(2, 0, 1);
    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    play(3, 1, 0);
    OK(pthread_barrier_destroy(&barrier));
    puts("data ok");
    return 0;
}
