/* This library's constructor waits for a thread that copies. The loader's lock is held meanwhile. */
#include <cuda.h>
#include <pthread.h>
#include <stddef.h>

static CUcontext context;

static void *copy(void *unused) {
    static unsigned char host[100];
    CUdeviceptr device;
    (void)unused;
    if (cuCtxSetCurrent(context) == CUDA_SUCCESS && cuMemAlloc(&device, sizeof host) == CUDA_SUCCESS) {
        cuMemcpyHtoD(device, host, sizeof host);
        cuMemFree(device);
    }
    return NULL;
}

__attribute__((constructor)) static void at_load(void) {
    pthread_t thread;
    if (cuCtxGetCurrent(&context) == CUDA_SUCCESS && pthread_create(&thread, NULL, copy, NULL) == 0)
        pthread_join(thread, NULL);
}
