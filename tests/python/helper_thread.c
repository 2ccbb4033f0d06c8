/* This library copies from its own thread, as XLA does. The thread runs no Python code. */
#include <cuda.h>
#include <pthread.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static CUcontext context;
static CUdeviceptr device;
static void *host;
static size_t bytes;
static unsigned asked, done;
static bool is_download, waits;

static void *serve(void *unused) {
    (void)unused;
    cuCtxSetCurrent(context);
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (done == asked)
            pthread_cond_wait(&changed, &mutex);
        if ((is_download ? cuMemcpyDtoH(host, device, bytes) : cuMemcpyHtoD(device, host, bytes)) != CUDA_SUCCESS ||
            (waits && cuCtxSynchronize() != CUDA_SUCCESS))
            return NULL;
        done++;
        pthread_cond_broadcast(&changed);
    }
}

/* Begins the thread. It copies `size` bytes from `from` to `to` each time, or back. */
EXPORT int helper_start(void *from, unsigned long long to, unsigned long long size) {
    pthread_t thread;
    host = from, device = to, bytes = size;
    return cuCtxGetCurrent(&context) != CUDA_SUCCESS || pthread_create(&thread, NULL, serve, NULL);
}

/* From now on the thread waits for the device after each copy. */
EXPORT void helper_wait_after_copies(void) { waits = true; }

/* Lets the thread copy `count` times, one after the other. */
EXPORT void helper_ask(unsigned count, int is_back) {
    pthread_mutex_lock(&mutex);
    is_download = is_back;
    asked += count;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/* Does the same, and waits for the copies. */
EXPORT void helper_copy(unsigned count, int is_back) {
    helper_ask(count, is_back);
    pthread_mutex_lock(&mutex);
    while (done != asked)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}
