/* Fingerprints on two devices: each has its own kernel and memory. Memory on another device than the current one is
 * left to the host.
 *
 * link: cudart
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_DEVICES=2
 * stdout: data ok
 *
 * > SELECT f.transfer, f.direction, coalesce(t.dst_device, t.src_device), f.taken_on, (SELECT min(g.transfer)
 * > FROM fingerprints g
 * >   WHERE g.content = f.content), (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.before), f.missing
 * > FROM fingerprints f JOIN transfer t ON t.id = f.transfer ORDER BY 1
 * 1|h2d|0|device|1||
 * 2|h2d|1|device|1||
 * 3|h2d|0|host|3||
 * 4|h2d|0||||another context than the current one
 * 5|peer|1||||neither upload nor download
 * 6|h2d|1|device|1|3|
 * 7|d2h|0|device|3||
 *
 * needs: cupti
 * > SELECT host_transfers, host_failed, without_record, without_event FROM coverage
 * 7|0|0|0
 *
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM device_memset)
 * 0|0
 */
#include <cuda_runtime_api.h>
#include <string.h>

#include "../check.h"

enum { BYTES = 50000 };

int main(void) {
    unsigned char *pinned, *host = malloc(BYTES);
    void *memory[2];
    cudaStream_t stream[2];
    int devices;

    OK(cudaGetDeviceCount(&devices));
    if (devices < 2)
        return E2E_SKIP;
    OK(cudaHostAlloc((void **)&pinned, 2 * BYTES, cudaHostAllocPortable));
    e2e_fill(pinned, BYTES, 1);
    e2e_fill(host, BYTES, 2);
    for (int i = 0; i < 2; i++) {
        OK(cudaSetDevice(i));
        OK(cudaMalloc(&memory[i], BYTES));
        OK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        OK(cudaMemcpyAsync(memory[i], pinned, BYTES, cudaMemcpyHostToDevice, stream[i])); /* 1, 2 */
        OK(cudaStreamSynchronize(stream[i]));
    }
    OK(cudaMemcpy(memory[0], host, BYTES, cudaMemcpyHostToDevice)); /* 3: device 1 is current */
    OK(cudaDeviceSynchronize()); /* a small copy may return before the device has it */
    memcpy(pinned + BYTES, host, BYTES);
    OK(cudaMemcpyAsync(memory[0], pinned + BYTES, BYTES, cudaMemcpyHostToDevice, stream[1]));
    OK(cudaStreamSynchronize(stream[1]));
    OK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, BYTES));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyAsync(memory[1], pinned, BYTES, cudaMemcpyHostToDevice, stream[1])); /* 6 */
    OK(cudaStreamSynchronize(stream[1]));
    OK(cudaSetDevice(0));
    OK(cudaMemcpyAsync(pinned, memory[0], BYTES, cudaMemcpyDeviceToHost, stream[0]));
    OK(cudaStreamSynchronize(stream[0]));
    e2e_expect(pinned, BYTES, 2);
    for (int i = 0; i < 2; i++) {
        OK(cudaSetDevice(i));
        OK(cudaStreamDestroy(stream[i]));
        OK(cudaFree(memory[i]));
    }
    OK(cudaFreeHost(pinned));
    free(host);
    puts("data ok");
    return 0;
}
