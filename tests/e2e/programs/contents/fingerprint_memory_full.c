/* The device's memory is full before the first fingerprint: copies go on, the host helps where it can, and the trace
 * says once why the rest has no content. In the next context there is room again.
 *
 * only: sim
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_MEMORY_BYTES=67108864
 * stdout: 64 MiB taken
 * stdout: 64 MiB taken
 * stdout: data ok
 *
 * > SELECT transfer, direction, taken_on, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.content), before IS NOT NULL,
 * >   missing FROM fingerprints f ORDER BY transfer
 * 1|h2d|||0|no device memory
 * 2|d2h|||0|no device memory
 * 3|h2d|host|3|0|
 * 4|d2h|host|3|0|
 * 5|h2d|||0|no device memory
 * 6|h2d|device|3|1|
 *
 * > SELECT topic, text FROM note WHERE topic = 'fingerprint'
 * fingerprint|no device memory for fingerprints; copies that only the device could see have none
 *
 * needs: cupti
 * > SELECT host_transfers, host_failed, without_record, without_event FROM coverage
 * 6|0|0|0
 *
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM device_memset), (SELECT count(*)
 * > FROM fingerprint)
 * 0|0|3
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { MOST = 128, BYTES = 100000 };

int main(void) {
    CUdeviceptr memory[MOST];
    unsigned char *pinned, *host = malloc(BYTES);
    unsigned taken = 0;
    CUcontext context;
    CUstream stream;

    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuMemHostAlloc((void **)&pinned, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    while (taken < MOST && cuMemAlloc(&memory[taken], 1 << 20) == CUDA_SUCCESS)
        taken++;
    printf("%u MiB taken\n", taken);

    e2e_fill(pinned, BYTES, 1);
    e2e_fill(host, BYTES, 2);
    OK(cuMemcpyHtoDAsync(memory[0], pinned, BYTES, stream));
    OK(cuMemcpyDtoHAsync(pinned, memory[0], BYTES, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, BYTES, 1);
    OK(cuMemcpyHtoD(memory[1], host, BYTES));
    memset(host, 0, BYTES);
    OK(cuMemcpyDtoH(host, memory[1], BYTES));
    e2e_expect(host, BYTES, 2);

    for (unsigned i = 2; i < taken; i++) /* too late for this context */
        OK(cuMemFree(memory[i]));
    OK(cuMemcpyHtoDAsync(memory[0], pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    for (taken = 2; taken < MOST && cuMemAlloc(&memory[taken], 1 << 20) == CUDA_SUCCESS;)
        taken++;
    printf("%u MiB taken\n", taken);
    OK(cuCtxDestroy(context));

    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuMemAlloc(&memory[0], BYTES));
    OK(cuMemcpyHtoD(memory[0], host, BYTES));
    OK(cuMemFree(memory[0]));
    OK(cuCtxDestroy(context));
    free(host);
    puts("data ok");
    return 0;
}
