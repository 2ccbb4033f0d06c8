/* Fingerprints are taken before and after a reset of the device, with results under way. Everything that had been made
 * is lost with the primary context, whose handle stays the same.
 *
 * link: cudart
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 *
 * Everything begins anew each time: the first upload finds unknown contents, the second finds those of the first.
 * > SELECT (transfer - 1) / 4, direction, taken_on, content = (SELECT content FROM fingerprints
 * > WHERE transfer = 1), before IS NOT NULL,
 * >   before = content FROM fingerprints ORDER BY transfer
 * 0|h2d|device|1|1|0
 * 0|h2d|device|1|1|1
 * 0|d2h|host|1|0|
 * 0|h2d|device|1|1|1
 * 1|h2d|device|1|1|0
 * 1|h2d|device|1|1|1
 * 1|d2h|host|1|0|
 * 1|h2d|device|1|1|1
 * 2|h2d|device|1|1|0
 * 2|h2d|device|1|1|1
 * 2|d2h|host|1|0|
 * 2|h2d|device|1|1|1
 *
 * needs: cupti
 * > SELECT host_transfers, host_failed, without_record, without_event FROM coverage
 * 12|0|0|0
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM device_memset)
 * 0|3
 */
#include <cuda_runtime_api.h>

#include "../check.h"

enum { BYTES = 50000 };

static void work(void) {
    unsigned char *pinned, *host = calloc(1, BYTES);
    cudaStream_t stream;
    void *memory;

    OK(cudaMalloc(&memory, BYTES));
    OK(cudaMallocHost((void **)&pinned, BYTES));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMemset(memory, 0, BYTES));
    OK(cudaDeviceSynchronize());
    e2e_fill(pinned, BYTES, 1);
    OK(cudaMemcpyAsync(memory, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(memory, pinned, BYTES, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(host, memory, BYTES, cudaMemcpyDeviceToHost));
    e2e_expect(host, BYTES, 1);
    OK(cudaMemcpyAsync(memory, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    free(host);
    puts("data ok");
}

int main(void) {
    work();
    OK(cudaDeviceReset());
    work();
    OK(cudaDeviceReset());
    work();
    OK(cudaDeviceSynchronize());
    return 0;
}
