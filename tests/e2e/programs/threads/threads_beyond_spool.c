/* More threads live at once than the spool's bound has chunks. The bound is for events that wait, not for threads, and
 * nobody may wait for a chunk that another thread keeps for as long as it lives.
 *
 * link: cuda
 * env: XFERSPY_SPOOL_MIB=2
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1
 * h2d|100|6400
 *
 * > SELECT count(DISTINCT thread) FROM transfer
 * 100
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 100 };

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
    pthread_t thread[THREADS];

    context = e2e_context();
    OK(cuMemAlloc(&device, 64 * THREADS));
    pthread_barrier_init(&all_copied, NULL, THREADS);
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], NULL, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
