/* The spool has the smallest size, and there are more events than it holds. Threads may wait, but nothing is lost.
 *
 * link: cuda
 * env: XFERSPY_SPOOL_MIB=2 XFERSPY_CUPTI=off
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), count(DISTINCT tid), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|4|64|4|0
 * h2d|80000|1280000|4|0
 *
 * > SELECT count(*) FROM transfer a JOIN transfer b ON b.id = a.id + 1 AND b.thread = a.thread
 * > WHERE b.enter_ns < a.return_ns
 * 0
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 4, COPIES = 20000 };

static CUcontext context;

static void *work(void *number) {
    unsigned char *pinned;
    CUdeviceptr device;
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, 16));
    OK(cuMemAllocHost((void **)&pinned, 32));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, 16, (unsigned)(unsigned long)number);
    for (int i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoDAsync(device, pinned, 16, stream));
    OK(cuMemcpyDtoHAsync(pinned + 16, device, 16, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + 16, 16, (unsigned)(unsigned long)number);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    context = e2e_context();
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], NULL, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    puts("data ok");
    return 0;
}
