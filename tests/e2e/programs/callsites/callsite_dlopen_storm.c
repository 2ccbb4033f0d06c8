/* Three threads load and close libraries all the time, and copy from them, while four others make calls whose stacks
 * are taken. So the loader's lists change while stacks are taken. Nobody waits for ever, no copy is lost, and every
 * copy of the three threads comes from a library.
 *
 * link: cuda
 * build: -g -O1
 * stdout: data ok
 *
 * > SELECT bytes >= 200, count(*), sum(result), sum(stack IS NOT NULL) FROM transfer GROUP BY 1 ORDER BY 1
 * 0|600|0|600
 * 1|1200|0|1200
 *
 * > SELECT bytes, replace(m.path, rtrim(m.path, replace(m.path, '/', '')), ''), count(*) FROM transfer t
 * > JOIN stack_frame f ON f.stack = t.stack AND f.depth = 0 JOIN module m ON m.id = f.module
 * > WHERE bytes < 200 GROUP BY 1, 2 ORDER BY 1
 * 100|libcopier.so|300
 * 101|libother_copier.so|300
 */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { COPIERS = 4, LOADERS = 3, COPIES = 300, LOADS = 100 };

static CUcontext context;
static CUdeviceptr device;
static pthread_barrier_t barrier;
static unsigned char host[1024];

static void __attribute__((noinline)) copy_by(const char *library, size_t bytes) {
    char path[4096];
    CUresult (*copy)(CUdeviceptr, const void *, size_t);
    snprintf(path, sizeof path, "%s/%s", getenv("XFERSPY_TEST_LIB"), library);
    void *handle = dlopen(path, RTLD_NOW);
    REQUIRE(handle);
    *(void **)&copy = dlsym(handle, "copier_copy");
    REQUIRE(copy);
    OK(copy(device, host, bytes));
    OK(dlclose(handle));
}

static void *load(void *unused) {
    OK(cuCtxSetCurrent(context));
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < LOADS; i++) {
        copy_by("libcopier.so", 100);
        copy_by("libother_copier.so", 101);
    }
    return unused;
}

/* At some depth, so that taking the stack takes its time. */
static void __attribute__((noinline)) copy_at(unsigned depth, size_t bytes) {
    if (depth > 0)
        copy_at(depth - 1, bytes);
    else
        OK(cuMemcpyHtoD(device, host, bytes));
    __asm__ volatile("" ::: "memory");
}

static void *copy(void *number) {
    OK(cuCtxSetCurrent(context));
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < COPIES; i++)
        copy_at(i % 20, 200 + (size_t)(uintptr_t)number);
    return NULL;
}

int main(void) {
    pthread_t thread[COPIERS + LOADERS];
    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(pthread_barrier_init(&barrier, NULL, COPIERS + LOADERS));
    for (uintptr_t i = 0; i < COPIERS + LOADERS; i++)
        OK(pthread_create(&thread[i], NULL, i < COPIERS ? copy : load, (void *)i));
    for (int i = 0; i < COPIERS + LOADERS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
