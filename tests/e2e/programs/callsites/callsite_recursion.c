/* A copy 10,000 calls deep: the innermost frames are kept, the trace says that there are more.
 *
 * link: cuda
 * build: -g -O1 -fno-optimize-sibling-calls
 * stdout: data ok
 *
 * > SELECT direction, native_frames, is_cut FROM transfers t JOIN stack s ON s.id = t.stack ORDER BY t.id
 * h2d|64|1
 * h2d|64|1
 *
 * Two copies from the same place have one stack, and all frames but the innermost one or two are the same call:
 * > SELECT count(DISTINCT stack) FROM transfer
 * 1
 * > SELECT max(n) >= 60 FROM (SELECT count(*) AS n FROM stack_frame f JOIN transfer t ON t.id = 1
 * > AND t.stack = f.stack GROUP BY address)
 * 1
 */
#include <cuda.h>

#include "../check.h"

static unsigned char host[4096];
static CUdeviceptr device;

static int __attribute__((noinline)) deeper(int frames) {
    if (frames)
        return deeper(frames - 1) + 1;
    for (volatile int i = 0; i < 2; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
    return 0;
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    REQUIRE(deeper(10000) == 10000);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
