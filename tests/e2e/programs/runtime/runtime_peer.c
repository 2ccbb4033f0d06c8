/* Copies between two devices through the runtime.
 *
 * link: cudart
 * env: XFERSPY_SIM_DEVICES=2
 * stdout: data ok
 *
 * > SELECT direction, bytes, src_device, dst_device, is_async, result FROM transfers ORDER BY id
 * h2d|4096||0|0|0
 * peer|4096|0|1|0|0
 * peer|2048|1|0|1|0
 * d2h|4096|1||0|0
 */
#include <cuda_runtime_api.h>

#include "../check.h"

int main(void) {
    unsigned char host[4096], back[4096] = {0};
    void *memory[2];
    cudaStream_t stream;
    int count, can = 0;

    OK(cudaGetDeviceCount(&count));
    if (count < 2)
        return E2E_SKIP;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (!can)
        return E2E_SKIP;
    for (int i = 1; i >= 0; i--) {
        OK(cudaSetDevice(i));
        OK(cudaMalloc(&memory[i], 4096));
    }
    OK(cudaStreamCreate(&stream));
    e2e_fill(host, 4096, 1);
    OK(cudaMemcpy(memory[0], host, 4096, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096));
    OK(cudaDeviceSynchronize());
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaMemcpyPeerAsync(memory[0], 0, memory[1], 1, 2048, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(back, memory[1], 4096, cudaMemcpyDeviceToHost));
    e2e_expect(back, 4096, 1);
    puts("data ok");
    return 0;
}
