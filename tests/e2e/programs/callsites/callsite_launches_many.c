/* Launches from very many places: the trace has the stacks of no more than 1000 of these places. Each thread's first
 * launches have one, so there are many threads, each with stacks of its own.
 *
 * link: cuda
 * build: -O1 -fno-optimize-sibling-calls
 * env: XFERSPY_CUPTI=off XFERSPY_FINGERPRINT=off
 * only: unsanitized
 * stdout: data ok
 *
 * > SELECT count(*), count(stack) > 0, count(DISTINCT stack) > 900 AND count(DISTINCT stack) <= 1000 FROM launch
 * 122000|1|1
 */
#include <cuda.h>
#include <pthread.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { THREADS = 2000, LEVELS = 11, LAUNCHES = 61 /* one of so many is looked at */ };

static CUcontext context;
static CUfunction function;
static CUdeviceptr device;

static int left(unsigned way, int levels);
static int right(unsigned way, int levels);
static inline int deeper(unsigned way, int levels) {
    if (levels)
        return way & 1 ? left(way >> 1, levels - 1) : right(way >> 1, levels - 1);
    size_t n = 16;
    void *parameters[] = {&device, &n};
    for (int i = 0; i < LAUNCHES; i++)
        OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    return 0;
}
static int __attribute__((noinline)) left(unsigned way, int levels) { return deeper(way, levels) + 1; }
static int __attribute__((noinline, noclone)) right(unsigned way, int levels) { return deeper(way, levels) + 1; }

static void *launch(void *way) {
    OK(cuCtxSetCurrent(context));
    REQUIRE(deeper((unsigned)(uintptr_t)way, LEVELS) == LEVELS);
    return NULL;
}

int main(void) {
    CUmodule module;
    context = e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&device, 16));
    for (unsigned way = 0; way < THREADS; way++) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, launch, (void *)(uintptr_t)way) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    }
    OK(cuCtxSynchronize());
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
