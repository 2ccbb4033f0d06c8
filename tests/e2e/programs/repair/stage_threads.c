/* Eight threads that copy pageable memory through the repairs at the same time, each in a stream of its own and in the
 * default stream, large and small copies; some streams wait for each other's events.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_REPAIR=stage,gather
 * notices: 3
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(result <> 0) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|192|0
 * h2d|1088|0
 */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "../check.h"

enum { THREADS = 8, ROUNDS = 4, SMALL = 32, SMALL_BYTES = 500 };

static CUcontext context;
static CUevent events[THREADS];
static pthread_barrier_t barrier;

static void *work(void *argument) {
    const unsigned me = (unsigned)(size_t)argument;
    const size_t bytes = (600 + 300 * me) * 1024 + me;
    unsigned char *host = malloc(bytes), *back = malloc(bytes), small[SMALL_BYTES];
    CUdeviceptr device, many;
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, bytes));
    OK(cuMemAlloc(&many, SMALL * 1024));
    OK(cuStreamCreate(&stream, me % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
    OK(cuEventCreate(&events[me], CU_EVENT_DISABLE_TIMING));
    pthread_barrier_wait(&barrier);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned seed = me * 100 + round;
        e2e_fill(host, bytes, seed);
        OK(cuMemcpyHtoDAsync(device, host, bytes, stream));
        memset(host, 0xaa, bytes);
        for (unsigned i = 0; i < SMALL; i++) {
            e2e_fill(small, SMALL_BYTES, seed + i);
            OK(i % 2 ? cuMemcpyHtoDAsync(many + i * 1024, small, SMALL_BYTES, stream)
                     : cuMemcpyHtoD(many + i * 1024, small, SMALL_BYTES));
            memset(small, 0xbb, SMALL_BYTES);
        }
        OK(cuEventRecord(events[me], stream));
        OK(cuStreamWaitEvent(stream, events[(me + 1) % THREADS], 0));
        OK(cuMemcpyDtoHAsync(back, device, bytes, stream));
        e2e_expect(back, bytes, seed);
        OK(cuMemcpyHtoD(device, back, bytes / 2));
        OK(cuMemcpyDtoH(host, device, bytes));
        e2e_expect(host, bytes, seed);
        for (unsigned i = 0; i < SMALL; i += 8) {
            OK(cuMemcpyDtoH(small, many + (i + round) * 1024, SMALL_BYTES));
            e2e_expect(small, SMALL_BYTES, seed + i + round);
        }
    }
    OK(cuStreamSynchronize(stream));
    pthread_barrier_wait(&barrier); /* nobody destroys what others wait for */
    OK(cuMemFree(device));
    OK(cuMemFree(many));
    OK(cuStreamDestroy(stream));
    free(host);
    free(back);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    context = e2e_context();
    OK(pthread_barrier_init(&barrier, NULL, THREADS));
    for (size_t i = 0; i < THREADS; i++)
        OK(pthread_create(&threads[i], NULL, work, (void *)i));
    for (size_t i = 0; i < THREADS; i++)
        OK(pthread_join(threads[i], NULL));
    puts("data ok");
    return 0;
}
