/* Thousands of threads that live at once, more than the spool once had room for: the calls of each later one were lost,
 * after a wait. And starting them was quadratic: at each new thread the library asked the kernel whether each of the
 * others was alive. The program has a `syscall` of its own in the place of the C library's, which counts these
 * questions.
 *
 * only: sim unsanitized no-repairs
 * link: cuda
 * build: -rdynamic
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1
 * h2d|4600|294400
 *
 * > SELECT count(DISTINCT thread) FROM transfer
 * 4600
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#include "../check.h"

enum { THREADS = 4600 };

static CUcontext context;
static CUdeviceptr device;
static pthread_barrier_t all_copied;

static atomic_ulong questions; /* whether a thread is alive: a signal with the number 0 */

__attribute__((visibility("default"))) long syscall(long number, ...) {
    static _Atomic(void *) libc;
    long (*real)(long, ...), a[6];
    va_list arguments;
    if (libc == NULL)
        libc = dlsym(RTLD_NEXT, "syscall");
    *(void **)&real = libc;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    questions += number == SYS_tgkill && (int)a[2] == 0;
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void *work(void *number) {
    unsigned n = (unsigned)(unsigned long)number;
    unsigned char host[64];
    OK(cuCtxSetCurrent(context));
    e2e_fill(host, 64, n);
    OK(cuMemcpyHtoD(device + 64 * n, host, 64));
    pthread_barrier_wait(&all_copied);
    return NULL;
}

int main(void) {
    static pthread_t thread[THREADS];
    pthread_attr_t small;

    context = e2e_context();
    OK(cuMemAlloc(&device, 64 * THREADS));
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    pthread_barrier_init(&all_copied, NULL, THREADS);
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], &small, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(cuMemFree(device));
    /* All slots are looked at each time their number has doubled. */
    const char *preloaded = getenv("LD_PRELOAD");
    bool is_traced = preloaded != NULL && strstr(preloaded, "libxferspy") != NULL;
    REQUIRE(is_traced ? questions > 0 && questions < 4UL * THREADS : questions == 0);
    puts("data ok");
    return 0;
}
