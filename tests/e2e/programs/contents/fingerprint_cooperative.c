/* While a cooperative kernel may be running no kernel of xferspy's is launched, in any stream, for it may hold the
 * whole device and wait for the copies before it. It is over when the program has waited for its stream or for the
 * context; a wait for another stream says nothing.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * > SELECT transfer, direction, taken_on, missing FROM fingerprints ORDER BY transfer
 * 1|h2d|device|
 * 2|h2d||a cooperative kernel may hold the device
 * 3|d2h||a cooperative kernel may hold the device
 * 4|h2d||a cooperative kernel may hold the device
 * 5|h2d|device|
 * 6|h2d||a cooperative kernel may hold the device
 * 7|h2d||a cooperative kernel may hold the device
 * 8|h2d|device|
 * 9|d2h|device|
 * 10|d2h|host|
 *
 * The uploads that are on the device: with one kernel where what was there before is known, and with two where it is
 * not. The download has one.
 * > SELECT value FROM meta WHERE key = 'cost.fingerprint_launches'
 * 7
 */
#include <cuda.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { BYTES = 200000 };

static CUstream copies, other;
static CUdeviceptr memory, counted, counted_beside;
static unsigned char *host, *back;

static void up(void) { OK(cuMemcpyHtoDAsync(memory, host, BYTES, copies)); }
static void down(void) { OK(cuMemcpyDtoHAsync(back, memory, BYTES, copies)); }

int main(void) {
    size_t n = 100;
    CUmodule module;
    CUfunction function;

    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAlloc(&counted, n));
    OK(cuMemAlloc(&counted_beside, n));
    OK(cuMemAllocHost((void **)&host, BYTES));
    OK(cuMemAllocHost((void **)&back, BYTES));
    e2e_fill(host, BYTES, 1);
    OK(cuMemsetD8(counted, 0, n));
    OK(cuCtxSynchronize()); /* the streams do not wait for the default one */
    void *parameters[] = {&counted, &n}, *beside[] = {&counted_beside, &n};

    up(); /* 1 */
    OK(cuLaunchCooperativeKernel(function, 1, 1, 1, 64, 1, 1, 0, other, parameters));
    up();   /* 2 */
    down(); /* 3 */
    OK(cuStreamSynchronize(copies));
    up(); /* 4: that was a wait for another stream */
    OK(cuStreamSynchronize(other));
    up(); /* 5 */
    OK(cuLaunchCooperativeKernel(function, 1, 1, 1, 64, 1, 1, 0, other, parameters));
    OK(cuLaunchCooperativeKernel(function, 1, 1, 1, 64, 1, 1, 0, copies, beside));
    up(); /* 6 */
    OK(cuStreamSynchronize(other));
    up(); /* 7: there is one in each of two streams */
    OK(cuCtxSynchronize());
    up();   /* 8 */
    down(); /* 9 */
    OK(cuStreamSynchronize(copies));
    e2e_expect(back, BYTES, 1);
    OK(cuMemcpyDtoH(back, counted, n)); /* 10 */
    e2e_expect_value(back, n, 2);
    puts("data ok");
    return 0;
}
