/* Copies fail. The application gets its error as usual, the reason in the trace is the failure, and what was prepared
 * for these copies disturbs no later copy.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: 1 1 1 1 1 1 1
 *
 * Contents by the first transfer that had the same: the upload after the failures finds what the one before left.
 * > SELECT transfer, f.direction, t.result, f.taken_on, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.content),
 * >   (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.before), f.changed_leaves, f.missing
 * > FROM fingerprints f JOIN transfer t ON t.id = f.transfer ORDER BY transfer
 * 1|h2d|0|device|1||25|
 * 2|h2d|1|||||the call failed
 * 3|h2d|1|||||the call failed
 * 4|d2h|1|||||the call failed
 * 5|h2d|1|||||the call failed
 * 6|d2h|1|||||the call failed
 * 7|h2d|1|||||the call failed
 * 8|h2d|1|||||the call failed
 * 9|h2d|0|device|1|1|0|
 * 10|d2h|0|device|1|||
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM fingerprint), (SELECT count(*) FROM note
 * > WHERE topic = 'fingerprint'), host_failed, without_record,
 * >   without_event FROM coverage
 * 3|0|7|0|0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { BYTES = 100000 };

int main(void) {
    unsigned char *pinned, *host = malloc(2 * BYTES);
    CUdeviceptr memory;
    CUstream stream;
    CUDA_MEMCPY2D c;
    int codes[7];

    e2e_context();
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemAllocHost((void **)&pinned, 2 * BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, 2 * BYTES, 1);
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));

    codes[0] = (int)cuMemcpyHtoD(0x10, host, BYTES); /* 2: no device memory */
    codes[1] = (int)cuMemcpyHtoDAsync(0x10, pinned, BYTES, stream);
    codes[2] = (int)cuMemcpyDtoHAsync(pinned, 0x10, BYTES, stream);
    codes[3] = (int)cuMemcpyHtoDAsync(memory, pinned, BYTES + 8192, stream); /* 5: beyond its end */
    codes[4] = (int)cuMemcpyDtoH(host, memory, BYTES + 8192);
    memset(&c, 0, sizeof c);
    c.WidthInBytes = 200, c.Height = 10;
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = pinned, c.srcPitch = 200;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = memory, c.dstPitch = 100; /* 7: rows over each other */
    codes[5] = (int)cuMemcpy2DAsync(&c, stream);
    c.srcPitch = 100, c.dstPitch = 200;
    codes[6] = (int)cuMemcpy2D(&c);

    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(host, memory, BYTES));
    e2e_expect(host, BYTES, 1);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(memory));
    OK(cuMemFreeHost(pinned));
    free(host);
    for (int i = 0; i < 7; i++)
        printf("%d%c", codes[i], i < 6 ? ' ' : '\n');
    return 0;
}
