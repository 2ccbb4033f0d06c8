/* The program is built with ThreadSanitizer, whose runtime replaces the library's memcpy, snprintf and others, too, and
 * sees none of the library's atomic operations. Nothing is reported, and the status stays 0, not 66.
 *
 * link: cuda tsan
 * only: unsanitized
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2400|9830400|0
 * h2d|2400|9830400|0
 *
 * > SELECT count(DISTINCT thread) FROM transfer
 * 12
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 6, ROUNDS = 200, BYTES = 4096 };

static CUcontext context;

static void *work(void *number) {
    unsigned n = (unsigned)(unsigned long)number;
    unsigned char host[BYTES], back[BYTES];
    CUdeviceptr device;
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < ROUNDS; i++) {
        OK(cuMemAlloc(&device, BYTES));
        e2e_fill(host, BYTES, n + i / 4);
        OK(cuMemcpyHtoDAsync(device, host, BYTES, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuMemcpyDtoH(back, device, BYTES));
        e2e_expect(back, BYTES, n + i / 4);
        OK(cuMemFree(device));
    }
    OK(cuStreamDestroy(stream));
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    context = e2e_context();
    for (int turn = 0; turn < 2; turn++) {
        for (unsigned long i = 0; i < THREADS; i++)
            OK(pthread_create(&thread[i], NULL, work, (void *)i));
        for (int i = 0; i < THREADS; i++)
            OK(pthread_join(thread[i], NULL));
    }
    puts("data ok");
    return 0;
}
