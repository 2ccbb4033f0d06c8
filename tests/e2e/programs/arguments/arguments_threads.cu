/* Threads launch at the same time, and each has its own allocations, which come and go. There are more sets than are
 * remembered at once, and every launch has the allocations that its own thread made last.
 *
 * stdout: data ok
 *
 * > SELECT count(*), count(arguments), count(DISTINCT arguments) >= 9600, sum(result) FROM launch
 * 19200|19200|1|0
 *
 * > SELECT count(*) FROM launch l LEFT JOIN (SELECT argument_set, count(*) AS n FROM argument GROUP BY 1) g
 * > ON g.argument_set = l.arguments WHERE g.n IS NULL OR g.n <> 2
 * 0
 *
 * > SELECT count(*) FROM launch l JOIN argument g ON g.argument_set = l.arguments
 * > JOIN allocation a ON a.id = g.allocation
 * > WHERE a.thread <> l.thread OR a.return_ns > l.enter_ns OR a.free_enter_ns < l.enter_ns
 * 0
 */
#include "tests/sim/kernels.cuh"

#include <pthread.h>

#include "../check.h"

enum { THREADS = 4, ROUNDS = 2400 };

static void *launch_all(void *unused) {
    cudaStream_t stream;
    float *x, *y;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMallocAsync(&y, 1024, stream));
    for (int i = 0; i < ROUNDS; i++) {
        OK(cudaMallocAsync(&x, 2048, stream));
        xs_copy<<<1, 32, 0, stream>>>(y, x, 1);
        xs_stencil<<<1, 32, 0, stream>>>(x + 8, y + 8, 1);
        OK(cudaFreeAsync(x, stream));
        if (i % 64 == 0)
            OK(cudaStreamSynchronize(stream));
    }
    OK(cudaFreeAsync(y, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    return unused;
}

int main() {
    pthread_t threads[THREADS];
    OK(cudaSetDevice(0));
    OK(cudaFree(nullptr));
    for (pthread_t &thread : threads)
        OK(pthread_create(&thread, nullptr, launch_all, nullptr));
    for (pthread_t &thread : threads)
        OK(pthread_join(thread, nullptr));
    puts("data ok");
    return 0;
}
