/* A program built with ThreadSanitizer, whose threads give the same names to ranges of NVTX, and load libraries that
 * they copy from: the library's tables of names and of modules are handed over by atomic operations, which nothing
 * instrumented sees, and are no race.
 *
 * link: cuda tsan
 * only: unsanitized
 * env: NVTX_INJECTION64_PATH=$xferspy_lib
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * h2d|320|32000|0
 *
 * > SELECT count(DISTINCT stack) > 1, sum(stack IS NULL) FROM transfer
 * 1|0
 */
#include <cuda.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 4, ROUNDS = 40, NAMES = 10 };

static CUcontext context;
static CUdeviceptr device;
static pthread_barrier_t barrier;
static unsigned char host[100];

static void copy_by(const char *library) {
    char path[4096];
    CUresult (*copy)(CUdeviceptr, const void *, size_t);
    snprintf(path, sizeof path, "%s/%s", getenv("XFERSPY_TEST_LIB"), library);
    void *handle = dlopen(path, RTLD_NOW);
    REQUIRE(handle);
    *(void **)&copy = dlsym(handle, "copier_copy");
    REQUIRE(copy);
    OK(copy(device, host, sizeof host));
    OK(dlclose(handle));
}

static void *work(void *number) {
    char name[64];
    OK(cuCtxSetCurrent(context));
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < ROUNDS; i++) {
        snprintf(name, sizeof name, "a name that all the threads have, of the number %u", i % NAMES);
        nvtxRangePushA(name);
        copy_by("libcopier.so");
        nvtxRangePushA(name);
        copy_by("libother_copier.so");
        nvtxRangePop();
        nvtxRangePop();
    }
    return number;
}

int main(void) {
    pthread_t thread[THREADS];
    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(pthread_barrier_init(&barrier, NULL, THREADS));
    nvtxRangePushA("first"); /* NVTX's own header has a race in the first use */
    nvtxRangePop();
    for (int i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], NULL, work, NULL));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
