/* Contexts that come and go with kept memory in them, and the primary context reset in the middle: what ended with its
 * context serves nobody, although handles come back and the sizes are always the same.
 *
 * link: cuda
 * env: XFERSPY_REPAIR=keep-allocations,keep-pinned XFERSPY_REPAIR_LOG=$dir/repair.json
 * stdout: data ok
 * notices: 3
 *
 * Each of the 12 lives has two allocations of each kind one after the other:
 * $ grep -o '"name":[^}]*}' $dir/repair.json
 * "name":"keep-allocations","applied":12,"bytes":25165824,"wrong":0,"refused":{}
 * "name":"keep-pinned","applied":12,"bytes":25165824,"wrong":0,"refused":{}
 */
#include <cuda.h>

#include "../check.h"

enum { LIVES = 6, BYTES = 2 << 20 };

/* What the first one left is still allocated when the context ends, or is kept. */
static void live(unsigned seed) {
    CUdeviceptr device, left;
    void *pinned;
    for (unsigned i = 0; i < 2; i++) {
        OK(cuMemAlloc(&device, BYTES));
        OK(cuMemHostAlloc(&pinned, BYTES, 0));
        e2e_fill(pinned, BYTES, seed + i);
        OK(cuMemcpyHtoD(device, pinned, BYTES));
        OK(cuMemsetD8(device, 0, 1));
        OK(cuMemcpyDtoH(pinned, device, BYTES));
        ((unsigned char *)pinned)[0] = e2e_byte(seed + i, 0);
        e2e_expect(pinned, BYTES, seed + i);
        OK(cuMemFree(device));
        OK(cuMemFreeHost(pinned));
    }
    OK(cuMemAlloc(&left, BYTES + 1));
}

int main(void) {
    CUcontext context;
    CUdevice device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    for (unsigned i = 0; i < LIVES; i++) {
        OK(cuCtxCreate(&context, NULL, 0, device));
        live(10 * i);
        OK(cuCtxDestroy(context));
    }
    for (unsigned i = 0; i < LIVES; i++) {
        OK(cuDevicePrimaryCtxRetain(&context, device));
        OK(cuCtxSetCurrent(context));
        live(100 + 10 * i);
        if (i % 2)
            OK(cuDevicePrimaryCtxReset(device));
        OK(cuDevicePrimaryCtxRelease(device));
    }
    puts("data ok");
    return 0;
}
