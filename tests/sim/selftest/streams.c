/* Order: within a stream, across events, around the legacy default stream, and when calls return. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "driver.h"

#define MS 1000000ull

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void CUDA_CB set_flag(void *data) { atomic_store((atomic_int *)data, 1); }

static void default_stream(void) {
    CUstream blocking, other;
    CUdeviceptr d;
    unsigned char value;
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&d, 64));
    OK(cuMemsetD8(d, 1, 64));
    /* The legacy stream's copy waits for the blocking stream's kernels. */
    spin(blocking, 30 * MS);
    add_one(blocking, d, 64);
    OK(cuMemcpyDtoH(&value, d, 1));
    SAME(value, 2);
    /* The legacy stream does not wait for the work of the non-blocking stream. */
    spin(other, 2000 * MS);
    OK(cuMemcpyDtoH(&value, d, 1));
    SAME(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
    /* A blocking stream waits for the legacy one. */
    spin(NULL, 30 * MS);
    add_one(NULL, d, 64);
    void *pinned;
    OK(cuMemHostAlloc(&pinned, 64, 0));
    OK(cuMemcpyDtoHAsync(pinned, d, 64, blocking));
    OK(cuStreamSynchronize(blocking));
    SAME(*(unsigned char *)pinned, 3);
    OK(cuStreamDestroy(blocking));
    OK(cuStreamDestroy(other)); /* still busy: its work goes on */
    OK(cuCtxSynchronize());
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(d));
}

static void events(void) {
    CUstream a, b;
    CUevent start_event, end, unrecorded;
    CUdeviceptr d;
    unsigned char value;
    float ms;
    OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&start_event, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventCreate(&unrecorded, 0));
    OK(cuMemAlloc(&d, 64));
    OK(cuMemsetD8Async(d, 1, 64, a));
    OK(cuEventRecord(start_event, a));
    spin(a, 500 * MS);
    add_one(a, d, 64);
    OK(cuEventRecord(end, a));
    SAME(cuEventQuery(end), CUDA_ERROR_NOT_READY);
    SAME(cuEventElapsedTime(&ms, start_event, end), CUDA_ERROR_NOT_READY);
    OK(cuStreamWaitEvent(b, end, 0));
    OK(cuMemcpyDtoHAsync(&value, d, 1, b)); /* pageable: blocks */
    SAME(value, 2);
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&ms, start_event, end));
    CHECK(ms >= 499 && ms < 60000);
    OK(cuEventQuery(unrecorded));
    SAME(cuEventElapsedTime(&ms, unrecorded, end), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(start_event));
    OK(cuEventDestroy(end));
    OK(cuEventDestroy(unrecorded));
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
    OK(cuMemFree(d));
}

static void returning(void) {
    static unsigned char pageable[8 << 20];
    unsigned char *pinned;
    CUstream stream;
    CUdeviceptr d;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&d, 8 << 20));
    OK(cuMemHostAlloc((void **)&pinned, 1 << 20, 0));
    /* Pageable uploads of up to 2 MiB are staged: the call returns, and later changes of the source do not count. */
    spin(stream, 500 * MS);
    memset(pageable, 5, 1024);
    OK(cuMemcpyHtoDAsync(d, pageable, 1024, stream));
    memset(pageable, 6, 1024);
    SAME(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    OK(cuMemcpyDtoHAsync(pinned, d, 1024, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(pinned[0] == 5 && pinned[1023] == 5);
    /* Large pageable ones wait for the copy; pinned ones for nothing. */
    double before = now_ms();
    spin(stream, 30 * MS);
    OK(cuMemcpyHtoDAsync(d, pageable, 8 << 20, stream));
    CHECK(now_ms() - before >= 29);
    /* Blocking ones wait for what is queued, whatever their size. */
    before = now_ms();
    spin(NULL, 30 * MS);
    OK(cuMemcpyHtoD(d, pageable, 4));
    CHECK(now_ms() - before >= 29);
    spin(stream, 500 * MS);
    memset(pinned, 7, 1 << 20);
    OK(cuMemcpyHtoDAsync(d, pinned, 1 << 20, stream));
    SAME(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    OK(cuMemFree(d)); /* waits */
    OK(cuStreamQuery(stream));
    OK(cuMemFreeHost(pinned));
    OK(cuStreamDestroy(stream));
}

static void host_functions(void) {
    CUstream stream;
    atomic_int flag = 0;
    uint32_t *cell;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    spin(stream, 5 * MS);
    OK(cuLaunchHostFunc(stream, set_flag, &flag));
    OK(cuStreamSynchronize(stream));
    CHECK(atomic_load(&flag) == 1);
    OK(cuMemHostAlloc((void **)&cell, 64, 0));
    *cell = 0;
    OK(cuStreamWaitValue32(stream, (CUdeviceptr)cell, 3, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWriteValue32(stream, (CUdeviceptr)(cell + 1), 9, 0));
    SAME(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    __atomic_store_n(cell, 3, __ATOMIC_SEQ_CST);
    OK(cuStreamSynchronize(stream));
    SAME(cell[1], 9);
    OK(cuMemFreeHost(cell));
    OK(cuStreamDestroy(stream));
}

static void batches(void) {
    CUstream stream;
    CUdeviceptr d, dsts[3], srcs[3];
    unsigned char *pinned, back[3];
    size_t sizes[3] = {64, 32, 16}, first = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&d, 4096));
    OK(cuMemHostAlloc((void **)&pinned, 4096, 0));
    for (int i = 0; i < 3; i++) {
        dsts[i] = d + 1000 * (CUdeviceptr)i;
        srcs[i] = (CUdeviceptr)pinned + 100 * (CUdeviceptr)i;
        pinned[100 * i] = (unsigned char)(i + 1);
    }
    OK(cuMemcpyBatchAsync(dsts, srcs, sizes, 3, &attributes, &first, 1, stream));
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < 3; i++) {
        OK(cuMemcpyDtoH(&back[i], dsts[i], 1));
        SAME(back[i], i + 1);
    }
    SAME(cuMemcpyBatchAsync(dsts, srcs, sizes, 3, &attributes, &first, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(d));
    OK(cuStreamDestroy(stream));
}

/* Many threads on streams of their own and on one shared: nothing to assert but that all arrives. */
static CUcontext shared_context;
static CUstream shared_stream;
static atomic_int shared_flag;

static void *worker(void *data) {
    unsigned char *pinned, host[256];
    CUdeviceptr d;
    CUstream stream;
    (void)data;
    OK(cuCtxSetCurrent(shared_context));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuMemHostAlloc((void **)&pinned, 256, 0));
    for (int i = 0; i < 50; i++) {
        OK(cuMemAllocAsync(&d, 256, stream));
        memset(host, i, sizeof(host));
        OK(cuMemcpyHtoDAsync(d, host, 256, stream));
        add_one(stream, d, 256);
        OK(cuMemcpyDtoHAsync(pinned, d, 256, stream));
        OK(cuLaunchHostFunc(shared_stream, set_flag, &shared_flag));
        OK(cuStreamSynchronize(stream));
        SAME(pinned[255], (unsigned char)(i + 1));
        OK(cuMemFreeAsync(d, i % 2 ? stream : CU_STREAM_PER_THREAD));
        if (i % 10 == 0)
            OK(cuMemcpyHtoD(0, host, 0));
    }
    OK(cuMemFreeHost(pinned));
    OK(cuStreamDestroy(stream));
    return NULL;
}

static void threads(void) {
    pthread_t thread[4];
    OK(cuStreamCreate(&shared_stream, CU_STREAM_DEFAULT));
    kernel("xs_add_one_u8");
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, worker, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    OK(cuStreamDestroy(shared_stream));
    OK(cuCtxSynchronize());
}

int main(void) {
    shared_context = start();
    default_stream();
    events();
    returning();
    host_functions();
    batches();
    threads();
    OK(cuDevicePrimaryCtxReset(0));
    return 0;
}
