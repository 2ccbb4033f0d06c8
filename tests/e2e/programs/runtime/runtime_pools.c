/* Stream-ordered allocation through the runtime.
 *
 * link: cudart
 * stdout: data ok
 *
 * > SELECT kind, origin, count(*), sum(bytes), sum(free_enter_ns IS NOT NULL) FROM allocations GROUP BY 1, 2 ORDER BY 1
 * device|pool|10|40960|10
 * pinned|alloc|1|8192|1
 *
 * > SELECT direction, count(*), sum(bytes), count(DISTINCT coalesce(src_allocation, 0)), count(DISTINCT dst_allocation)
 * > FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|10|40960|10|1
 * h2d|10|40960|1|10
 */
#include <cuda_runtime_api.h>

#include "../check.h"

int main(void) {
    unsigned char *pinned;
    cudaStream_t stream;
    OK(cudaMallocHost((void **)&pinned, 8192));
    OK(cudaStreamCreate(&stream));
    for (unsigned i = 0; i < 10; i++) {
        void *device;
        e2e_fill(pinned, 4096, i);
        OK(cudaMallocAsync(&device, 4096, stream));
        OK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, stream));
        OK(cudaMemcpyAsync(pinned + 4096, device, 4096, cudaMemcpyDeviceToHost, stream));
        OK(cudaFreeAsync(device, stream));
        OK(cudaStreamSynchronize(stream));
        e2e_expect(pinned + 4096, 4096, i);
    }
    OK(cudaStreamDestroy(stream));
    OK(cudaFreeHost(pinned));
    puts("data ok");
    return 0;
}
