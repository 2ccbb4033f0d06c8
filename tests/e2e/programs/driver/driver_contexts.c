/* Two contexts of one device, pushed and popped; the second is destroyed with a live allocation and a live stream.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT bytes, context FROM transfers ORDER BY id
 * 1000|1
 * 2000|2
 * 3000|1
 * 3000|1
 *
 * An allocation goes with its context, and the trace says by which call:
 * > SELECT bytes, context, free_entry_point, free_enter_ns IS NOT NULL FROM allocations ORDER BY id
 * 4096|1|cuMemFree_v2|1
 * 8192|2|cuCtxDestroy_v2|1
 * 16384|2|cuMemFree_v2|1
 *
 * > SELECT count(*), count(DISTINCT handle) FROM context WHERE id IN (SELECT context FROM transfer)
 * 2|2
 */
#include <cuda.h>

#include "../check.h"

static CUcontext create(void) {
    CUcontext context;
    OK(cuCtxCreate(&context, NULL, 0, 0));
    return context;
}

int main(void) {
    unsigned char *host = malloc(4096), *back = calloc(1, 4096);
    CUcontext one, two, popped;
    CUdeviceptr a, b, c;
    CUstream stream;

    OK(cuInit(0));
    one = create();
    OK(cuMemAlloc(&a, 4096));
    e2e_fill(host, 4096, 1);
    OK(cuMemcpyHtoD(a, host, 1000));

    two = create();
    OK(cuMemAlloc(&b, 8192));
    OK(cuMemAlloc(&c, 16384));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuMemcpyHtoDAsync(b, host, 2000, stream));
    OK(cuMemFree(c));
    OK(cuCtxPopCurrent(&popped));
    REQUIRE(popped == two);

    OK(cuMemcpyHtoD(a, host, 3000));
    OK(cuCtxPushCurrent(two));
    OK(cuCtxSynchronize());
    OK(cuCtxDestroy(two));
    OK(cuCtxGetCurrent(&popped));
    REQUIRE(popped == one);
    OK(cuMemcpyDtoH(back, a, 3000));
    e2e_expect(back, 3000, 1);
    OK(cuMemFree(a));
    OK(cuCtxDestroy(one));
    puts("data ok");
    return 0;
}
