/* Threads that copy while they end, in the destructor of a key that was made after xferspy's: their chunks must come
 * back, or the spool is used up after some hundred threads.
 *
 * link: cuda
 * env: XFERSPY_SPOOL_MIB=2
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1
 * h2d|600|38400
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 300 };

static CUcontext context;
static CUdeviceptr device;
static pthread_key_t key;

static void copy(void *value) {
    unsigned char host[64];
    (void)value;
    OK(cuCtxSetCurrent(context)); /* the driver's own destructor may have run before */
    e2e_fill(host, 64, 1);
    OK(cuMemcpyHtoD(device, host, 64));
}

static void *work(void *unused) {
    copy(unused);
    OK(pthread_setspecific(key, &key));
    return NULL;
}

int main(void) {
    context = e2e_context();
    OK(cuMemAlloc(&device, 64));
    OK(pthread_key_create(&key, copy));
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        OK(pthread_create(&thread, NULL, work, NULL));
        OK(pthread_join(thread, NULL));
    }
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
