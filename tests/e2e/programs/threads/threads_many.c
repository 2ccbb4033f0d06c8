/* Five hundred short threads run, sixteen at a time, and each makes one upload and one download. So chunks of the spool
 * are used by one thread after another.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|500|32000|0
 * h2d|500|32000|0
 *
 * > SELECT count(*), count(DISTINCT thread) FROM transfer
 * 1000|500
 *
 * Every thread has its two copies, in their order:
 * > SELECT count(*) FROM transfer u JOIN transfer d ON d.thread = u.thread
 * > WHERE u.direction = 1 AND d.direction = 2 AND d.enter_ns >= u.return_ns AND d.id > u.id
 * 500
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 500, AT_A_TIME = 16 };

static CUcontext context;
static CUdeviceptr device;

static void *work(void *number) {
    unsigned n = (unsigned)(unsigned long)number;
    unsigned char host[64], back[64] = {0};
    OK(cuCtxSetCurrent(context));
    e2e_fill(host, 64, n);
    OK(cuMemcpyHtoD(device + 64 * n, host, 64));
    OK(cuMemcpyDtoH(back, device + 64 * n, 64));
    e2e_expect(back, 64, n);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];

    context = e2e_context();
    OK(cuMemAlloc(&device, 64 * THREADS));
    for (unsigned long i = 0; i < THREADS; i++) {
        if (i >= AT_A_TIME)
            OK(pthread_join(thread[i - AT_A_TIME], NULL));
        OK(pthread_create(&thread[i], NULL, work, (void *)i));
    }
    for (int i = THREADS - AT_A_TIME; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
