/* Tests what an upload overwrites: it is known from the previous upload if nothing can have written in between, and
 * measured otherwise. Each time, one content is uploaded, changed on the device in another way, and uploaded again.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Contents by the first transfer that had the same: 1 goes up again and again, 2 is what each change makes of it. First
 * by blocking copies, then in a stream: nothing in between; a kernel; one of another thread; a copy within the device;
 * an upload of the halves; one by rows, which is in the list itself; one of another thread; a batch of copies, of which
 * the last one is a download.
 * > SELECT (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.content) AS content, (SELECT min(g.transfer)
 * >   FROM fingerprints g WHERE g.content = f.before) AS before, changed_leaves, leaves, taken_on
 * > FROM fingerprints f JOIN transfer t ON t.id = f.transfer
 * > WHERE f.bytes = 50000 AND f.direction = 'h2d' AND t.id > 3 AND t.thread = 1 AND f.content IS NOT NULL ORDER BY t.id
 * 1|1|0|13|device
 * 1|1|0|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 2|1|13|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|1|0|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 2|1|13|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 * 1|1|0|13|device
 * 1|2|13|13|device
 *
 * The halves, each the changed half of what is there; and what the other thread uploaded:
 * > SELECT f.bytes, f.changed_leaves, f.leaves, f.before IS NOT NULL, count(*) FROM fingerprints f
 * > JOIN transfer t ON t.id = f.transfer
 * > WHERE f.direction = 'h2d' AND (f.bytes = 25000 OR t.thread <> 1) GROUP BY 1, 2, 3, 4 ORDER BY 1
 * 25000|7|7|1|4
 * 50000|13|13|1|2
 *
 * > SELECT count(*), count(content) FROM fingerprints WHERE bytes = 50000 AND missing = 'part of a batch call'
 * 2|0
 *
 * The trace has none of xferspy's own operations:
 * needs: cupti
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM device_memset)
 * 4|4|0
 *
 * needs: cupti
 * > SELECT host_failed, without_record, without_event FROM coverage
 * 0|0|0
 */
#include "../cases/cases.h"

#include <cuda.h>
#include <pthread.h>

enum { BYTES = 50000, HALF = BYTES / 2, ROW = 500 };

typedef CUresult (*batch_call)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                               CUstream);

static unsigned char *x, *changed, *back, *memory, *reference;
static cudaStream_t stream;
static batch_call copy_batch;
static bool blocking;

static void up(void *to, const void *from, size_t bytes) {
    OK(blocking ? cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)
                : cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
}

static void nothing() {}

static void kernel() { case_change(memory, BYTES, stream); }

static void *launch_there(void *) {
    cudaStream_t own;
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    case_change(memory, BYTES, own);
    OK(cudaStreamSynchronize(own));
    OK(cudaStreamDestroy(own));
    return nullptr;
}

static void *upload_there(void *) {
    cudaStream_t own;
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    OK(cudaMemcpyAsync(memory, changed, BYTES, cudaMemcpyHostToDevice, own));
    OK(cudaStreamSynchronize(own));
    OK(cudaStreamDestroy(own));
    return nullptr;
}

static void in_another_thread(void *(*what)(void *)) {
    pthread_t thread;
    OK(cudaStreamSynchronize(stream));
    OK(pthread_create(&thread, nullptr, what, nullptr));
    OK(pthread_join(thread, nullptr));
}

static void kernel_of_another_thread() { in_another_thread(launch_there); }

static void within_the_device() { OK(cudaMemcpyAsync(memory, reference, BYTES, cudaMemcpyDeviceToDevice, stream)); }

static void halves() {
    up(memory, changed, HALF);
    up(memory + HALF, changed + HALF, HALF);
}

static void rows() {
    OK(cudaMemcpy2DAsync(memory, ROW, changed, ROW, ROW, BYTES / ROW, cudaMemcpyHostToDevice, stream));
}

static void upload_of_another_thread() { in_another_thread(upload_there); }

static void batch() {
    CUdeviceptr dsts[2] = {reinterpret_cast<CUdeviceptr>(memory), reinterpret_cast<CUdeviceptr>(back)};
    CUdeviceptr srcs[2] = {reinterpret_cast<CUdeviceptr>(changed), reinterpret_cast<CUdeviceptr>(reference)};
    size_t sizes[2] = {BYTES, 64}, first = 0;
    CUmemcpyAttributes attributes = {};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    OK(copy_batch(dsts, srcs, sizes, 2, &attributes, &first, 1, stream));
}

static void play(void (*change)()) {
    up(memory, x, BYTES);
    if (blocking)
        OK(cudaDeviceSynchronize());
    change();
    if (blocking)
        OK(cudaDeviceSynchronize());
    up(memory, x, BYTES);
}

int main() {
    int version;
    OK(cuInit(0));
    OK(cuDriverGetVersion(&version));
    if (version < 13000)
        return E2E_SKIP;
    OK(cuGetProcAddress("cuMemcpyBatchAsync", reinterpret_cast<void **>(&copy_batch), 13000,
                        CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
    x = case_pinned(BYTES), changed = case_pinned(BYTES), back = case_pinned(BYTES);
    memory = case_device(BYTES), reference = case_device(BYTES);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(x, BYTES, 1);
    for (size_t i = 0; i < BYTES; i++)
        changed[i] = static_cast<unsigned char>(x[i] + 1);
    case_up(reference, x, BYTES); // 1
    case_up(reference, changed, BYTES);
    case_up(memory, x, BYTES);
    for (int round = 0; round < 2; round++) {
        blocking = round == 0;
        play(nothing);
        play(kernel);
        play(kernel_of_another_thread);
        play(within_the_device);
        play(halves);
        play(rows);
        play(upload_of_another_thread);
        play(batch);
        OK(cudaDeviceSynchronize());
    }
    case_down(back, memory, BYTES);
    case_expect(back, BYTES, 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(memory));
    OK(cudaFree(reference));
    OK(cudaFreeHost(x));
    OK(cudaFreeHost(changed));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
