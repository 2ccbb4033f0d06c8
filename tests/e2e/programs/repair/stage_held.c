/* A stream that waits for the program holds up no staged copy: an asynchronous upload into it returns at once, and
 * copies in another stream and in the default stream go on. The program lets the stream go only behind them, so a copy
 * that waited for it would never return.
 *
 * Only on the simulated GPU: the real driver makes a pageable upload into such a stream wait for it.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=stage XFERSPY_REPAIR_LOG=$dir/repair.json
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * Behind the stream that is held no more buffers are page-locked, so some copies may find none and are the driver's:
 * $ grep -o '"applied":[3-8],.*"wrong":0' $dir/repair.json | sed 's/:[3-8],.*"wrong/,"wrong/'
 * "applied","wrong":0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { MIB = 1 << 20, SMALL = MIB, LARGE = 4 * MIB };

static unsigned char source[LARGE], target[LARGE];

/* Up and down in the stream, or in the default stream by calls that block. */
static void round_trip(CUdeviceptr device, unsigned seed, CUstream stream) {
    e2e_fill(source, LARGE, seed);
    OK(stream ? cuMemcpyHtoDAsync(device, source, LARGE, stream) : cuMemcpyHtoD(device, source, LARGE));
    memset(source, 0xaa, LARGE);
    OK(stream ? cuMemcpyDtoHAsync(target, device, LARGE, stream) : cuMemcpyDtoH(target, device, LARGE));
    e2e_expect(target, LARGE, seed);
}

int main(void) {
    CUdeviceptr small, large, flag_on_device;
    CUstream held, other;
    volatile uint32_t *flag;
    CUresult result;

    e2e_context();
    OK(cuMemAlloc(&small, SMALL));
    OK(cuMemAlloc(&large, LARGE));
    OK(cuMemHostAlloc((void **)&flag, sizeof *flag, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&flag_on_device, (void *)flag, 0));
    OK(cuStreamCreate(&held, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    *flag = 0;
    round_trip(large, 1, NULL);

    result = cuStreamWaitValue32(held, flag_on_device, 1, CU_STREAM_WAIT_VALUE_GEQ);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        return E2E_SKIP;
    OK(result);
    e2e_fill(source, SMALL, 2);
    OK(cuMemcpyHtoDAsync(small, source, SMALL, held));
    memset(source, 0xbb, SMALL);
    round_trip(large, 3, other);
    round_trip(large, 4, NULL);
    REQUIRE(cuStreamQuery(held) == CUDA_ERROR_NOT_READY);

    *flag = 1;
    OK(cuStreamSynchronize(held));
    OK(cuMemcpyDtoH(target, small, SMALL));
    e2e_expect(target, SMALL, 2);
    OK(cuStreamDestroy(held));
    OK(cuStreamDestroy(other));
    OK(cuMemFree(small));
    OK(cuMemFree(large));
    OK(cuMemFreeHost((void *)flag));
    puts("data ok");
    return 0;
}
