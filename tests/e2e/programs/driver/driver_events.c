/* Two streams ordered by an event, a host function between them, and every way to wait.
 *
 * link: cuda
 * stdout: data ok, host function ran 1 times
 *
 * > SELECT entry_point, scope, result FROM syncs ORDER BY id
 * cuEventSynchronize|event|0
 * cuStreamSynchronize|stream|0
 * cuCtxSynchronize|context|0
 *
 * > SELECT k.name, count(*), sum(l.result = 0) FROM launch l JOIN launch_kind k ON k.id = l.kind GROUP BY 1
 * host function|1|1
 *
 * > SELECT direction, bytes, count(DISTINCT stream) FROM transfers GROUP BY 1, 2 ORDER BY 1
 * d2h|65536|1
 * h2d|65536|1
 *
 * > SELECT count(DISTINCT stream) FROM transfer
 * 2
 *
 * The download began after the upload had ended, on the device:
 * needs: cupti
 * > SELECT d.start_ns >= u.end_ns FROM transfers u, transfers d WHERE u.direction = 'h2d' AND d.direction = 'd2h'
 * 1
 */
#include <cuda.h>

#include "../check.h"

static int host_runs;

static void count_run(void *data) { ++*(int *)data; }

int main(void) {
    enum { BYTES = 65536 };
    unsigned char *pinned;
    CUdeviceptr device;
    CUstream up, down;
    CUevent uploaded, downloaded;

    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost((void **)&pinned, 2 * BYTES));
    OK(cuStreamCreate(&up, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&down, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&uploaded, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&downloaded, CU_EVENT_DEFAULT));
    e2e_fill(pinned, BYTES, 1);

    OK(cuMemcpyHtoDAsync(device, pinned, BYTES, up));
    OK(cuLaunchHostFunc(up, count_run, &host_runs));
    OK(cuEventRecord(uploaded, up));
    OK(cuStreamWaitEvent(down, uploaded, 0));
    OK(cuMemcpyDtoHAsync(pinned + BYTES, device, BYTES, down));
    OK(cuEventRecord(downloaded, down));
    OK(cuEventSynchronize(downloaded));
    e2e_expect(pinned + BYTES, BYTES, 1);
    OK(cuStreamSynchronize(up));
    OK(cuCtxSynchronize());
    REQUIRE(cuStreamQuery(up) == CUDA_SUCCESS);

    OK(cuEventDestroy(uploaded));
    OK(cuEventDestroy(downloaded));
    OK(cuStreamDestroy(up));
    OK(cuStreamDestroy(down));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    printf("data ok, host function ran %d times\n", host_runs);
    return 0;
}
