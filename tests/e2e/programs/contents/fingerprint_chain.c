/* A download into page-locked memory and an upload from there are in one stream behind a gate. When the upload's call
 * returns, its source does not have the bytes yet that will be moved, so the host must not look at it.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=auto XFERSPY_FINGERPRINT_SHARE=100
 * stdout: data ok
 *
 * Contents by the first transfer that had the same; the buffers held others when the calls returned.
 * > SELECT transfer, direction, (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.content), taken_on
 * > FROM fingerprints f ORDER BY transfer
 * 1|h2d|1|device
 * 2|d2h|1|device
 * 3|h2d|1|device
 * 4|d2h|1|device
 * 5|h2d|1|device
 * 6|d2h|1|host
 */
#include <cuda.h>
#include <stdatomic.h>
#include <string.h>

#include "../check.h"

enum { BYTES = 10000 };

static atomic_int open_now;

static void CUDA_CB gate(void *unused) {
    (void)unused;
    while (!atomic_load(&open_now)) {
    }
}

int main(void) {
    unsigned char *pinned, *back = calloc(1, BYTES);
    CUdeviceptr first, second, third;
    CUstream stream;

    e2e_context();
    OK(cuMemAlloc(&first, BYTES));
    OK(cuMemAlloc(&second, BYTES));
    OK(cuMemAlloc(&third, BYTES));
    OK(cuMemAllocHost((void **)&pinned, 3 * BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, BYTES, 1);
    OK(cuMemcpyHtoDAsync(first, pinned, BYTES, stream)); /* 1 */
    OK(cuStreamSynchronize(stream));

    memset(pinned, 0, 3 * BYTES);
    OK(cuLaunchHostFunc(stream, gate, NULL));
    OK(cuMemcpyDtoHAsync(pinned, first, BYTES, stream));
    OK(cuMemcpyHtoDAsync(second, pinned, BYTES, stream));
    OK(cuMemcpyDtoHAsync(pinned + BYTES, second, BYTES, stream));
    OK(cuMemcpyHtoDAsync(third, pinned + BYTES, BYTES, stream));
    atomic_store(&open_now, 1);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, third, BYTES));
    e2e_expect(back, BYTES, 1);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(first));
    OK(cuMemFree(second));
    OK(cuMemFree(third));
    OK(cuMemFreeHost(pinned));
    free(back);
    puts("data ok");
    return 0;
}
