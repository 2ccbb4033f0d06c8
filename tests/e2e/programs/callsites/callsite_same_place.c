/* One call of the driver is made from frames that lie at the same place of the stack each time; only the outer callers
 * differ. Each copy has the stack from which it was made, even if the previous copy had nearly the same stack.
 *
 * link: cuda
 * build: -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
 * stdout: data ok
 *
 * There is one stack for each way, and its copies have the size that belongs to this way:
 * > SELECT count(DISTINCT stack), count(DISTINCT bytes), count(DISTINCT stack * 1000 + bytes) FROM transfer
 * 4|4|4
 * > SELECT bytes, count(*) FROM transfer GROUP BY bytes
 * 16|250
 * 32|250
 * 48|250
 * 64|250
 *
 * All stacks have the same number of frames, and the same innermost frames:
 * > SELECT count(DISTINCT native_frames) FROM stack s WHERE s.id IN (SELECT stack FROM transfer)
 * 1
 * > SELECT count(DISTINCT f.address) FROM stack_frame f JOIN transfer t ON t.stack = f.stack WHERE f.depth = 0
 * 1
 */
#include <cuda.h>

#include "../check.h"

static unsigned char host[64];
static CUdeviceptr device;

static void __attribute__((noinline)) copy(unsigned bytes) {
    OK(cuMemcpyHtoD(device, host, bytes));
    __asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) odd_or_even(unsigned way, unsigned bytes) {
    if (way & 1)
        copy(bytes);
    else
        copy(bytes);
    __asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) go(unsigned way) {
    unsigned bytes = 16 * way + 16;
    if (way & 2)
        odd_or_even(way, bytes);
    else
        odd_or_even(way, bytes);
    __asm__ volatile("" ::: "memory");
}

int main(void) {
    unsigned made[4] = {0}, random = 1;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    for (unsigned copies = 0; copies < 1000;) {
        random = random * 1664525u + 1013904223u;
        unsigned way = random >> 30, times = 1 + (random >> 20) % 6; /* often several times in a row */
        for (unsigned i = 0; i < times && made[way] < 250; i++, copies++) {
            go(way);
            made[way]++;
        }
    }
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
