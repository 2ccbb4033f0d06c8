/* Two threads that load modules lazily, each in both ways, launch from them and unload them, while four others copy.
 *
 * link: cuda
 * env: CUDA_MODULE_LOADING=LAZY
 * stdout: data ok
 *
 * > SELECT count(*), sum(bytes), sum(result), count(DISTINCT thread) FROM transfer WHERE direction = 1
 * 800|819200|0|4
 * > SELECT count(*), sum(bytes), sum(result), count(DISTINCT thread) FROM transfer WHERE direction = 2
 * 800|819200|0|4
 *
 * > SELECT count(*), sum(result), count(DISTINCT thread) FROM launch
 * 200|0|2
 */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { COPIERS = 4, LOADERS = 2, COPIES = 200, LOADS = 50, BYTES = 1024 };

static CUcontext context;
static pthread_barrier_t barrier;

static void *copy(void *number) {
    unsigned char host[BYTES], back[BYTES];
    CUdeviceptr device;
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, BYTES));
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < COPIES; i++) {
        e2e_fill(host, BYTES, i + (unsigned)(uintptr_t)number);
        OK(cuMemcpyHtoD(device, host, BYTES));
        OK(cuMemcpyDtoH(back, device, BYTES));
        e2e_expect(back, BYTES, i + (unsigned)(uintptr_t)number);
    }
    OK(cuMemFree(device));
    return NULL;
}

static void launch(CUfunction function, CUstream stream, CUdeviceptr device) {
    size_t n = BYTES;
    void *parameters[] = {&device, &n};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
    OK(cuStreamSynchronize(stream));
}

static void *load(void *unused) {
    CUdeviceptr device;
    CUstream stream;
    (void)unused;
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < LOADS; i++) {
        CUmodule module;
        CUlibrary library;
        CUkernel kernel;
        CUfunction function;
        OK(cuModuleLoadData(&module, add_one_ptx));
        OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
        launch(function, stream, device);
        OK(cuModuleUnload(module));
        OK(cuLibraryLoadData(&library, add_one_ptx, NULL, NULL, 0, NULL, NULL, 0));
        OK(cuLibraryGetKernel(&kernel, library, "xs_add_one_u8"));
        OK(cuKernelGetFunction(&function, kernel));
        launch(function, stream, device);
        OK(cuLibraryUnload(library));
    }
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    return NULL;
}

int main(void) {
    pthread_t thread[COPIERS + LOADERS];
    context = e2e_context();
    OK(pthread_barrier_init(&barrier, NULL, COPIERS + LOADERS));
    for (uintptr_t i = 0; i < COPIERS + LOADERS; i++)
        OK(pthread_create(&thread[i], NULL, i < COPIERS ? copy : load, (void *)(i * 1000)));
    for (int i = 0; i < COPIERS + LOADERS; i++)
        OK(pthread_join(thread[i], NULL));
    puts("data ok");
    return 0;
}
