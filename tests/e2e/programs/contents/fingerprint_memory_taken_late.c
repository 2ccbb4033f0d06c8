/* An allocation finds no memory while kernels of fingerprints are still to run, 0.3 s each, as behind much work of the
 * application. It gets the memory of the fingerprints nevertheless, when they have run.
 *
 * only: sim
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_MEMORY_BYTES=67108864 XFERSPY_SIM_KERNEL_LATENCY_US=300000
 * stdout: 64 MiB
 * stdout: data ok
 *
 * > SELECT text, count(*) FROM note WHERE topic = 'fingerprint' GROUP BY 1
 * the application ran out of device memory: fingerprints gave theirs back|1
 *
 * > SELECT value FROM meta WHERE key = 'cost.fingerprint_device_bytes'
 * 0
 *
 * > SELECT transfer, taken_on FROM fingerprints ORDER BY transfer
 * 1|device
 * 2|host
 */
#include <cuda.h>

#include "../check.h"

enum { MIB = 1 << 20, BYTES = 100000 };

int main(void) {
    CUcontext context;
    CUdeviceptr first, more;
    CUstream stream;
    unsigned char *pinned;
    int mebibytes = 1;
    static unsigned char host[BYTES];

    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemHostAlloc((void **)&pinned, BYTES, 0));
    e2e_fill(pinned, BYTES, 1);
    OK(cuMemAlloc(&first, MIB));
    OK(cuMemcpyHtoDAsync(first, pinned, BYTES, stream));
    while (cuMemAlloc(&more, MIB) == CUDA_SUCCESS)
        mebibytes++;
    printf("%d MiB\n", mebibytes);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(host, first, BYTES));
    e2e_expect(host, BYTES, 1);
    OK(cuMemFreeHost(pinned));
    OK(cuCtxDestroy(context));
    puts("data ok");
    return 0;
}
