/* The copies of each thread have a stack of this thread, which ends in the function with which the thread was started.
 *
 * link: cuda
 * build: -g -O2
 * stdout: data ok
 *
 * $ for bytes in 101 102; do frames $traces "SELECT stack FROM transfer WHERE bytes = $bytes LIMIT 1"; done
 * copy|OK(cuMemcpyHtoD(device, host, bytes));
 * first_thread|copy(101);
 * copy|OK(cuMemcpyHtoD(device, host, bytes));
 * second_thread|copy(102);
 *
 * All copies of a thread have one stack:
 * > SELECT t.bytes, count(*), count(DISTINCT stack), count(DISTINCT thread) FROM transfer t GROUP BY 1 ORDER BY 1
 * 101|100|1|1
 * 102|100|1|1
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { COPIES = 100 };
static unsigned char host[4096];
static CUdeviceptr device;
static CUcontext context;
static pthread_barrier_t both;

static void __attribute__((noinline, noclone)) copy(size_t bytes) {
    OK(cuCtxSetCurrent(context));
    pthread_barrier_wait(&both);
    for (int i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoD(device, host, bytes));
}

static void *first_thread(void *nothing) {
    copy(101);
    return nothing;
}

static void *second_thread(void *nothing) {
    copy(102);
    return nothing;
}

int main(void) {
    pthread_t first, second;
    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(pthread_barrier_init(&both, NULL, 2));
    OK(pthread_create(&first, NULL, first_thread, NULL));
    OK(pthread_create(&second, NULL, second_thread, NULL));
    OK(pthread_join(first, NULL));
    OK(pthread_join(second, NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
