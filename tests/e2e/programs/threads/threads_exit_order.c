/* Threads that copy from destructors of thread-local data, which may run after the profiler's own; the main thread
 * leaves by pthread_exit before the others.
 *
 * only: no-tsan
 * link: cuda
 * stdout: data ok
 *
 * Each of four threads copies once in its body (100 bytes) and four times on its way out (200 bytes):
 * > SELECT bytes, count(*), count(DISTINCT thread) FROM transfer WHERE direction = 1 GROUP BY 1 ORDER BY 1
 * 100|4|4
 * 200|16|4
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers WHERE direction = 'd2h' GROUP BY 1
 * d2h|1|800
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 4, ROUNDS = 4 };

static CUcontext context;
static CUdeviceptr device;
static pthread_key_t key;
static pthread_t worker[THREADS], main_thread;

struct parting {
    unsigned number, rounds;
};

/* Sets the value again, so that it runs in each of the C library's four rounds of destructors. */
static void part(void *data) {
    struct parting *p = data;
    unsigned char host[200];
    e2e_fill(host, sizeof host, p->number);
    OK(cuCtxSetCurrent(context)); /* the driver's own data of the thread may have gone before */
    OK(cuMemcpyHtoD(device + 200 * p->number, host, sizeof host));
    if (++p->rounds < ROUNDS)
        OK(pthread_setspecific(key, p));
    else
        free(p);
}

static void *work(void *number) {
    struct parting *p = calloc(1, sizeof *p);
    unsigned char host[100] = {0};
    p->number = (unsigned)(unsigned long)number;
    OK(cuCtxSetCurrent(context));
    OK(pthread_setspecific(key, p));
    OK(cuMemcpyHtoD(device + 200 * p->number, host, sizeof host));
    return NULL;
}

static void *last(void *unused) {
    unsigned char back[200 * THREADS];
    (void)unused;
    OK(pthread_join(main_thread, NULL));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(worker[i], NULL));
    OK(cuCtxSetCurrent(context));
    OK(cuMemcpyDtoH(back, device, sizeof back));
    for (unsigned i = 0; i < THREADS; i++)
        e2e_expect(back + 200 * i, 200, i);
    puts("data ok");
    exit(0);
}

int main(void) {
    pthread_t final;
    context = e2e_context();
    main_thread = pthread_self();
    OK(cuMemAlloc(&device, 200 * THREADS));
    OK(pthread_key_create(&key, part));
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&worker[i], NULL, work, (void *)i));
    OK(pthread_create(&final, NULL, last, NULL));
    pthread_exit(NULL);
}
