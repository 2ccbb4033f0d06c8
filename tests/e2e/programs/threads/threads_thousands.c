/* Thousands of threads that live at once, more than the spool once had room for: the calls of each later one were lost,
 * after a wait.
 *
 * only: sim unsanitized no-repairs
 * link: cuda
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1
 * h2d|4600|294400
 *
 * > SELECT count(DISTINCT thread) FROM transfer
 * 4600
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 4600 };

static CUcontext context;
static CUdeviceptr device;
static pthread_barrier_t all_copied;

static void *work(void *number) {
    unsigned n = (unsigned)(unsigned long)number;
    unsigned char host[64];
    OK(cuCtxSetCurrent(context));
    e2e_fill(host, 64, n);
    OK(cuMemcpyHtoD(device + 64 * n, host, 64));
    pthread_barrier_wait(&all_copied);
    return NULL;
}

int main(void) {
    static pthread_t thread[THREADS];
    pthread_attr_t small;

    context = e2e_context();
    OK(cuMemAlloc(&device, 64 * THREADS));
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    pthread_barrier_init(&all_copied, NULL, THREADS);
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], &small, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
