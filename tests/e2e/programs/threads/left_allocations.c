/* Signals come while xferspy allocates for its map of memory, and their handler jumps out of the call. The map is whole
 * afterwards, and no thread waits for it.
 *
 * link: cuda
 * only: sim unsanitized
 * env: XFERSPY_CUPTI=off XFERSPY_STACK=none
 * stdout: data ok
 *
 * A leaf of the map holds 128 ranges, and every new one is another jump. The calls that were left have no event, so no
 * copy is made to their memory. Each of the others finds its own.
 * > SELECT count(*) > 1900, count(*) = 2 * count(DISTINCT dst_allocation) FROM transfer
 * 1|1
 *
 * > SELECT value > 5 FROM meta WHERE key = 'coverage.left'
 * 1
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../sim_tools.h"

enum { ALLOCATIONS = 1000, SECONDS = 300 };

static sigjmp_buf back;
static CUcontext context;
static volatile sig_atomic_t raises;
static CUdeviceptr devices[ALLOCATIONS]; /* 0: its call was left */
static unsigned char host[64];

void *__libc_calloc(size_t count, size_t bytes);

/* This is the program's own allocator. Signals come in it if it is called by xferspy. */
__attribute__((visibility("default"))) void *calloc(size_t count, size_t bytes) {
    Dl_info info;
    if (raises && dladdr(__builtin_return_address(0), &info) && info.dli_fname && strstr(info.dli_fname, "xferspy"))
        raise(SIGUSR1);
    return __libc_calloc(count, bytes);
}

static void jump(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static __attribute__((noinline, noclone)) void allocate(CUdeviceptr *device) {
    if (sigsetjmp(back, 1) == 0) {
        raises = 1;
        OK(cuMemAlloc(device, sizeof host));
    } else {
        *device = 0;
    }
    raises = 0;
}

static void *copy_to_all(void *unused) {
    OK(cuCtxSetCurrent(context));
    for (int i = 0; i < ALLOCATIONS; i++)
        OK(devices[i] ? cuMemcpyHtoD(devices[i], host, sizeof host) : CUDA_SUCCESS);
    return unused;
}

int main(void) {
    pthread_t thread;
    alarm(SECONDS);
    context = e2e_context();
    signal(SIGUSR1, jump);
    for (int i = 0; i < ALLOCATIONS; i++)
        allocate(&devices[i]);
    OK(pthread_create(&thread, NULL, copy_to_all, NULL));
    OK(pthread_join(thread, NULL));
    (void)copy_to_all(NULL);
    puts("data ok");
    return 0;
}
