/* cudaDeviceReset in the middle: what was allocated is freed by it, and what comes after is captured as before, with
 * device times.
 *
 * link: cudart
 * stdout: data ok
 * stdout: data ok
 *
 * > SELECT bytes, replace(free_entry_point, 'Reset_v2', 'Reset'), free_enter_ns IS NOT NULL FROM allocations
 * > ORDER BY id
 * 4096|cuDevicePrimaryCtxReset|1
 * 8192|cuDevicePrimaryCtxReset|1
 * 4096|cuMemFree_v2|1
 * 8192|cuMemFreeHost|1
 *
 * needs: cupti
 * > SELECT direction, count(*), sum(bytes), sum(device_ns > 0), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2|8192|2|0
 * h2d|2|8192|2|0
 */
#include <cuda_runtime_api.h>

#include "../check.h"

static void **work(unsigned seed) {
    static void *memory[2];
    unsigned char *pinned;
    OK(cudaMalloc(&memory[0], 4096));
    OK(cudaMallocHost(&memory[1], 8192));
    pinned = memory[1];
    e2e_fill(pinned, 4096, seed);
    OK(cudaMemcpy(memory[0], pinned, 4096, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(pinned + 4096, memory[0], 4096, cudaMemcpyDeviceToHost));
    e2e_expect(pinned + 4096, 4096, seed);
    puts("data ok");
    return memory;
}

int main(void) {
    work(1);
    OK(cudaDeviceReset());
    void **memory = work(2);
    OK(cudaFree(memory[0]));
    OK(cudaFreeHost(memory[1]));
    return 0;
}
