/* The virtual clock: what passes on it is what was asked for and what calls cost, and never the machine's time. Runs
 * with libxferspy_sim_clock.so preloaded. */
#include "driver.h"

#include <time.h>

#include "../clock/virtual_clock.h"

enum { US = 1000 };
static const unsigned long long hour_ns = 3600ull * 1000000000ull;

static unsigned long long clock_of(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

static unsigned long long now(void) { return clock_of(CLOCK_MONOTONIC); }

/* `took`, give or take what calls cost. */
static void is_about(unsigned long long took, unsigned long long expected) {
    CHECK(took >= expected && took < expected + 30 * US);
}

static void nothing_sleeps(void) {
    unsigned long long real = clock_of(CLOCK_REALTIME), begin = now();
    SAME(now(), begin);
    spin(NULL, hour_ns);
    is_about(now() - begin, 0);
    OK(cuCtxSynchronize());
    is_about(now() - begin, hour_ns);
    xs_virtual_clock_advance(hour_ns);
    is_about(now() - begin, 2 * hour_ns);
    CHECK(clock_of(CLOCK_REALTIME) - real < hour_ns / 60);
}

/* Queued work ends at its time, whichever thread asks. */
static void an_end_comes_with_its_time(void) {
    CUevent event;
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    spin(NULL, 500 * US);
    OK(cuEventRecord(event, NULL));
    SAME(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    SAME(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    xs_virtual_clock_advance(600 * US);
    OK(cuEventQuery(event));
    OK(cuStreamQuery(NULL));
    OK(cuEventDestroy(event));
}

/* 20 bytes a nanosecond for pinned memory: 2 MB take 100 us and the latency. */
enum { BYTES = 2000000, COPY_US = 103 };

/* The first copy waits for a kernel, and the second, of another stream, goes first. */
static void an_engine_serves_whoever_is_ready_first(CUstream one, CUstream other, CUdeviceptr memory, void *pinned) {
    unsigned long long begin = now();
    spin(one, 1000 * US);
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, one));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, other));
    OK(cuStreamSynchronize(other));
    is_about(now() - begin, COPY_US * US);
    OK(cuStreamSynchronize(one));
    is_about(now() - begin, (1000 + COPY_US) * US);

    begin = now();
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, one));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, other));
    OK(cuMemcpyDtoHAsync(pinned, memory, BYTES, NULL)); /* the other engine, but behind both by its stream */
    OK(cuCtxSynchronize());
    is_about(now() - begin, 3 * COPY_US * US);
}

static void blocking_calls(CUstream one, CUdeviceptr memory, void *pinned) {
    static char pageable[1 << 20];
    CUdeviceptr other;
    unsigned long long begin = now();
    OK(cuMemcpyHtoD(memory, pinned, BYTES));
    is_about(now() - begin, COPY_US * US);

    OK(cuMemAlloc(&other, 4096));
    begin = now();
    spin(one, 1000 * US);
    OK(cuMemcpyHtoD(memory, pageable, sizeof pageable)); /* waits, then stages 8 bytes a nanosecond, and returns */
    is_about(now() - begin, (1000 + 131) * US);
    OK(cuCtxSynchronize());
    CHECK(now() - begin > (1000 + 131 + 209) * US); /* 5 bytes a nanosecond */

    begin = now();
    spin(one, 1000 * US);
    OK(cuMemFree(other));
    is_about(now() - begin, 1000 * US);
}

int main(void) {
    CUstream one, other;
    CUdeviceptr memory;
    void *pinned;
    CHECK(xs_virtual_clock_now != NULL);
    start();
    OK(cuStreamCreate(&one, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&other, CU_STREAM_DEFAULT));
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAllocHost(&pinned, BYTES));
    nothing_sleeps();
    an_end_comes_with_its_time();
    an_engine_serves_whoever_is_ready_first(one, other, memory, pinned);
    blocking_calls(one, memory, pinned);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(memory));
    OK(cuStreamDestroy(other));
    OK(cuStreamDestroy(one));
    return 0;
}
