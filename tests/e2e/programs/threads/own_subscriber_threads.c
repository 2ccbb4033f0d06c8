/* Threads copy while the program profiles itself with a CUPTI of CUDA 13.3, whose buffers belong to threads if nothing
 * else is asked for. A flush of xferspy's would hand over the program's buffers, too, so there is none: the simulated
 * GPU aborts a program whose threads' buffers are flushed while one is in the driver, as a real one may crash.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_BUDGET=off XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: as many records as copies
 *
 * needs: cupti
 * > SELECT count(*) - sum(device_ns > 0), value FROM transfers, meta WHERE key = 'cupti.status'
 * 0|active
 */
#include <pthread.h>
#include <time.h>

#include "../own_subscriber.h"

enum { THREADS = 4, COPIES = 5000 }; /* for longer than it is until a flush, which comes once a second */

static CUcontext context;

static void *copy(void *argument) {
    CUdeviceptr device;
    unsigned char host[256] = {0};
    const struct timespec pause = {0, 200000};
    (void)argument;
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, sizeof host));
    for (int i = 0; i < COPIES; i++) {
        OK(cuMemcpyHtoD(device, host, sizeof host));
        nanosleep(&pause, NULL);
    }
    OK(cuMemFree(device));
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    context = e2e_context();
    if (!own_subscriber_open())
        return E2E_SKIP;
    own_subscriber_begin(true);
    for (int i = 0; i < THREADS; i++)
        OK(pthread_create(&threads[i], NULL, copy, NULL));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(threads[i], NULL));
    own_subscriber_end();
    puts(own.copies == THREADS * COPIES ? "as many records as copies" : "records are missing");
    return 0;
}
