/* Four threads allocate, copy into what they have, and free, in an order of their own: every copy is booked on the
 * allocation that lived there at that moment, although addresses are used again and again.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT direction, count(*), count(src_allocation), count(dst_allocation), sum(result) FROM transfers GROUP BY 1
 * > ORDER BY 1
 * d2h|8000|8000|0|0
 * h2d|8000|0|8000|0
 *
 * Every allocation has a size of its own, and each copy fills one:
 * > SELECT count(*), count(DISTINCT bytes), sum(free_enter_ns IS NOT NULL) FROM allocation
 * 8000|8000|8000
 *
 * > SELECT count(*) FROM transfer t JOIN allocation a ON a.id = coalesce(t.dst_allocation, t.src_allocation)
 * > WHERE t.bytes <> a.bytes OR (t.direction = 1 AND t.dst_address <> a.address) OR (t.direction = 2
 * > AND t.src_address <> a.address)
 * 0
 *
 * > SELECT count(*) FROM allocation a WHERE 2 <> (SELECT count(*) FROM transfer t
 * > WHERE a.id IN (t.dst_allocation, t.src_allocation))
 * > AND a.id % 16 = 0
 * 0
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 4, ROUNDS = 2000, LIVE = 40 };

static CUcontext context;

static void *work(void *number) {
    unsigned t = (unsigned)(unsigned long)number, random = t + 1;
    static __thread unsigned char host[65536], back[65536];
    struct {
        CUdeviceptr device;
        size_t bytes;
    } live[LIVE] = {{0, 0}};

    OK(cuCtxSetCurrent(context));
    e2e_fill(host, sizeof host, t);
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        unsigned slot = (random >> 8) % LIVE;
        if (live[slot].device != 0)
            OK(cuMemFree(live[slot].device));
        live[slot].bytes = 1000 + i * THREADS + t;
        OK(cuMemAlloc(&live[slot].device, live[slot].bytes));
        OK(cuMemcpyHtoD(live[slot].device, host, live[slot].bytes));
        OK(cuMemcpyDtoH(back, live[slot].device, live[slot].bytes));
        e2e_expect(back, live[slot].bytes, t);
    }
    for (int slot = 0; slot < LIVE; slot++)
        if (live[slot].device != 0)
            OK(cuMemFree(live[slot].device));
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    context = e2e_context();
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], NULL, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    puts("data ok");
    return 0;
}
