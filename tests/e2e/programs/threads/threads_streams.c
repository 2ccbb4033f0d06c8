/* Eight threads have four streams each, and each thread makes another number of copies.
 *
 * link: cuda
 * stdout: data ok
 *
 * Thread t (1 to 8) copies t times up and down in stream s (1 to 4), (s * 256) bytes each:
 * > SELECT count(*), sum(bytes), count(DISTINCT stream), sum(direction = 'h2d') FROM transfers GROUP BY tid ORDER BY 1
 * 8|5120|4|4
 * 16|10240|4|8
 * 24|15360|4|12
 * 32|20480|4|16
 * 40|25600|4|20
 * 48|30720|4|24
 * 56|35840|4|28
 * 64|40960|4|32
 *
 * > SELECT count(DISTINCT stream), count(DISTINCT thread), sum(is_async), sum(result) FROM transfer
 * 32|8|288|0
 *
 * > SELECT count(*), count(DISTINCT thread) FROM sync WHERE scope = 1
 * 32|8
 *
 * > SELECT kind, count(*), sum(bytes), sum(free_enter_ns IS NOT NULL) FROM allocations GROUP BY 1 ORDER BY 1
 * device|32|32768|32
 * pinned|32|65536|32
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 8, STREAMS = 4 };

static CUcontext context;
static pthread_barrier_t barrier;

static void *work(void *number) {
    unsigned n = *(unsigned *)number;
    unsigned char *pinned[STREAMS];
    CUdeviceptr device[STREAMS];
    CUstream stream[STREAMS];

    OK(cuCtxSetCurrent(context));
    for (int s = 0; s < STREAMS; s++) {
        OK(cuStreamCreate(&stream[s], CU_STREAM_NON_BLOCKING));
        OK(cuMemAlloc(&device[s], 1024));
        OK(cuMemAllocHost((void **)&pinned[s], 2048));
        e2e_fill(pinned[s], 1024, n);
    }
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < n; i++) {
        for (int s = 0; s < STREAMS; s++) {
            size_t bytes = 256u * (unsigned)(s + 1);
            OK(cuMemcpyHtoDAsync(device[s], pinned[s], bytes, stream[s]));
            OK(cuMemcpyDtoHAsync(pinned[s] + 1024, device[s], bytes, stream[s]));
        }
    }
    for (int s = 0; s < STREAMS; s++) {
        OK(cuStreamSynchronize(stream[s]));
        e2e_expect(pinned[s] + 1024, 256u * (unsigned)(s + 1), n);
    }
    pthread_barrier_wait(&barrier); /* no stream goes while another thread still makes some: no handle is used twice */
    for (int s = 0; s < STREAMS; s++) {
        OK(cuStreamDestroy(stream[s]));
        OK(cuMemFree(device[s]));
        OK(cuMemFreeHost(pinned[s]));
    }
    return NULL;
}

int main(void) {
    unsigned number[THREADS];
    pthread_t thread[THREADS];

    context = e2e_context();
    OK(pthread_barrier_init(&barrier, NULL, THREADS));
    for (unsigned i = 0; i < THREADS; i++) {
        number[i] = i + 1;
        OK(pthread_create(&thread[i], NULL, work, &number[i]));
    }
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    puts("data ok");
    return 0;
}
