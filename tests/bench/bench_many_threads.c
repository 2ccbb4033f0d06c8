/* How long thousands of threads take to start that all live at once and each copy 64 bytes. Prints the seconds from the
 * first thread's creation until the last one has copied, and the processor time that this took.
 *
 *   bench_many_threads [THREADS]     10000 by default */
#include <cuda.h>
#include <pthread.h>

#include "driver.h"

enum { BYTES = 64, STACK_BYTES = 64 << 10 };

static CUcontext context;
static CUdeviceptr memory;
static __typeof__(&cuCtxSetCurrent) set_current;
static __typeof__(&cuMemcpyHtoD_v2) upload;
static pthread_barrier_t all_copied;

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *work(void *unused) {
    char host[BYTES] = {1};
    CHECK(set_current(context));
    CHECK(upload(memory, host, BYTES));
    pthread_barrier_wait(&all_copied);
    return unused;
}

int main(int count, char **words) {
    size_t threads = count > 1 ? strtoul(words[1], NULL, 10) : 10000;
    pthread_t *thread = calloc(threads, sizeof *thread);
    pthread_attr_t small;
    CUdevice device;
    CHECK(DRIVER(cuInit)(0));
    CHECK(DRIVER(cuDeviceGet)(&device, 0));
    CHECK(DRIVER(cuDevicePrimaryCtxRetain)(&context, device));
    set_current = DRIVER(cuCtxSetCurrent);
    upload = DRIVER(cuMemcpyHtoD_v2);
    CHECK(set_current(context));
    CHECK(DRIVER(cuMemAlloc_v2)(&memory, BYTES));
    CHECK(thread == NULL || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, STACK_BYTES) ||
          pthread_barrier_init(&all_copied, NULL, (unsigned)threads + 1));
    double begun = seconds(CLOCK_MONOTONIC), worked = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < threads; i++)
        CHECK(pthread_create(&thread[i], &small, work, NULL));
    pthread_barrier_wait(&all_copied);
    printf("%.2f %.2f\n", seconds(CLOCK_MONOTONIC) - begun, seconds(CLOCK_PROCESS_CPUTIME_ID) - worked);
    for (size_t i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    return 0;
}
