/* XFERSPY_OUTSIDE=allocations while four threads copy and launch, and a fifth opens and closes the window again and
 * again: each call is recorded or counted, none is lost and none twice.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=profiler XFERSPY_OUTSIDE=allocations
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM launch) +
 * > (SELECT value FROM meta WHERE key = 'range.left_out_launches'), (SELECT count(*) FROM transfer) +
 * > (SELECT value FROM meta WHERE key = 'range.left_out_transfers')
 * 4001|4000
 *
 * There were windows, and calls outside of them:
 * > SELECT key, CAST(value AS INTEGER) > 0 FROM meta WHERE key IN ('range.count', 'range.left_out_launches')
 * > ORDER BY key
 * range.count|1
 * range.left_out_launches|1
 *
 * > SELECT count(*), sum(free_enter_ns IS NOT NULL) FROM allocation WHERE bytes = 256
 * 4|4
 */
#include <stdatomic.h>

#include "asked.h"

/* Of cudaProfiler.h, which is a package of its own. */
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

enum { THREADS = 4, ROUNDS = 1000 };

static _Atomic int working = THREADS;

static void *work(void *data) {
    unsigned char bytes[256] = {0}, *seed = data;
    CUdeviceptr memory;
    OK(cuCtxSetCurrent(asked_context));
    OK(cuMemAlloc(&memory, sizeof bytes));
    for (int i = 0; i < ROUNDS; i++) {
        bytes[i % 256] = (unsigned char)(*seed + i);
        OK(cuMemcpyHtoD(memory, bytes, sizeof bytes));
        asked_launch(1);
    }
    OK(cuCtxSynchronize());
    OK(cuMemFree(memory));
    atomic_fetch_sub(&working, 1);
    return NULL;
}

int main(void) {
    unsigned char seeds[THREADS] = {1, 2, 3, 4};
    pthread_t threads[THREADS];
    asked_begin();
    asked_launch(1); /* outside, whatever the threads come to */
    OK(cuProfilerStart());
    OK(cuProfilerStop());
    for (int i = 0; i < THREADS; i++)
        OK(pthread_create(&threads[i], NULL, work, &seeds[i]));
    while (atomic_load(&working)) {
        OK(cuProfilerStart());
        OK(cuProfilerStop());
    }
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(threads[i], NULL));
    return asked_end();
}
