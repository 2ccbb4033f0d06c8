/* Copies to and from variables of the module.
 *
 * stdout: data ok
 *
 * > SELECT direction, bytes, is_async, result FROM transfers ORDER BY id
 * h2d|4096|0|0
 * d2h|4096|0|0
 * h2d|1024|0|0
 * h2d|512|1|0
 * d2h|512|1|0
 *
 * On the device's side they lie in memory that is static, where CUPTI tells that from other device memory:
 * needs: cupti
 * > SELECT k.name, replace(m.name, ' static', ''), replace(n.name, ' static', ''), count(*), sum(bytes)
 * > FROM device_copy d JOIN copy_kind k ON k.id = d.kind
 * > JOIN device_memory_kind m ON m.id = d.src_kind JOIN device_memory_kind n ON n.id = d.dst_kind GROUP BY 1, 2, 3
 * > ORDER BY 1, 2, 3
 * d2h|device|pageable|1|4096
 * d2h|device|pinned|1|512
 * h2d|pageable|device|2|5120
 * h2d|pinned|device|1|512
 */
#include <cuda_runtime.h>

#include "../check.h"

__device__ unsigned char table[4096];
__constant__ unsigned char coefficients[1024];

int main() {
    unsigned char host[4096], back[4096] = {0}, *pinned;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocHost(&pinned, 1024));
    e2e_fill(host, sizeof host, 1);
    OK(cudaMemcpyToSymbol(table, host, sizeof host));
    OK(cudaMemcpyFromSymbol(back, table, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cudaMemcpyToSymbol(coefficients, host, 1024));
    e2e_fill(pinned, 512, 2);
    OK(cudaMemcpyToSymbolAsync(table, pinned, 512, 1024, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyFromSymbolAsync(pinned + 512, table, 512, 1024, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    e2e_expect(pinned + 512, 512, 2);
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(stream));
    puts("data ok");
    return 0;
}
