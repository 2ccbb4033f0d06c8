/* Eight threads allocate and free few sizes in an order of their own. Each writes what nobody else writes, so memory
 * that two of them had at once would show.
 *
 * link: cuda
 * env: XFERSPY_REPAIR=keep-allocations,keep-pinned XFERSPY_REPAIR_LOG=$dir/repair.json XFERSPY_REPAIR_MIB=24
 * stdout: data ok
 * notices: 3
 *
 * Some of it was kept memory, and with so small a budget not all of it:
 * $ grep -o '"name":"[a-z-]*","applied":[1-9]' $dir/repair.json | sed 's/.$//'
 * "name":"keep-allocations","applied":
 * "name":"keep-pinned","applied":
 *
 * > SELECT kind, count(*), sum(free_enter_ns IS NOT NULL) FROM allocations GROUP BY 1
 * device|800|800
 * pinned|800|800
 */
#include <cuda.h>
#include <pthread.h>

#include "../check.h"

enum { THREADS = 8, ROUNDS = 100, MIB = 1 << 20, PART = 4096 };

static CUcontext context;

static void *work(void *number) {
    unsigned t = (unsigned)(unsigned long)number, random = t + 1;
    unsigned char back[PART];
    OK(cuCtxSetCurrent(context));
    for (unsigned i = 0; i < ROUNDS; i++) {
        CUdeviceptr device;
        unsigned char *pinned;
        random = random * 1664525u + 1013904223u;
        size_t bytes = (size_t)(1 + (random >> 16) % 4) * MIB;
        OK(cuMemAlloc(&device, bytes));
        OK(cuMemAllocHost((void **)&pinned, bytes / 8));
        e2e_fill(pinned, PART, t * ROUNDS + i);
        OK(cuMemcpyHtoD(device, pinned, PART));
        OK(cuMemcpyHtoD(device + bytes - PART, pinned, PART));
        OK(cuMemcpyDtoH(back, device, PART));
        e2e_expect(back, PART, t * ROUNDS + i);
        OK(cuMemcpyDtoH(back, device + bytes - PART, PART));
        e2e_expect(back, PART, t * ROUNDS + i);
        e2e_expect(pinned, PART, t * ROUNDS + i);
        OK(cuMemFree(device));
        OK(cuMemFreeHost(pinned));
    }
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
