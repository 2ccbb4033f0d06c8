/* Page-locked memory in all forms of the runtime, and the kinds that the copies from it have.
 *
 * link: cudart
 * stdout: data ok
 *
 * > SELECT kind, bytes, count(*), sum(free_enter_ns IS NOT NULL) FROM allocations GROUP BY 1, 2 ORDER BY 1
 * device|65536|1|1
 * pinned|65536|4|4
 * registered|65536|1|1
 *
 * > SELECT bytes, src_kind, src_allocation IS NOT NULL FROM transfers WHERE direction = 'h2d' ORDER BY id
 * 1000|pinned|1
 * 2000|pinned|1
 * 3000|pinned|1
 * 4000|pinned|1
 * 5000|registered|1
 * 6000|pageable|0
 */
#include <cuda_runtime_api.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 65536 };
    void *plain, *portable, *mapped, *combined, *device;
    unsigned char *block = aligned_alloc(4096, BYTES), back[6000];

    OK(cudaMalloc(&device, BYTES));
    OK(cudaMallocHost(&plain, BYTES));
    OK(cudaHostAlloc(&portable, BYTES, cudaHostAllocPortable));
    OK(cudaHostAlloc(&mapped, BYTES, cudaHostAllocMapped));
    OK(cudaHostAlloc(&combined, BYTES, cudaHostAllocWriteCombined));
    OK(cudaHostRegister(block, BYTES, cudaHostRegisterDefault));
    e2e_fill(block, BYTES, 1);
    OK(cudaMemcpy(device, plain, 1000, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device, portable, 2000, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device, mapped, 3000, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device, combined, 4000, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device, block, 5000, cudaMemcpyHostToDevice));
    OK(cudaHostUnregister(block));
    OK(cudaMemcpy(device, block, 6000, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(back, device, 6000, cudaMemcpyDeviceToHost));
    e2e_expect(back, 6000, 1);
    OK(cudaFreeHost(plain));
    OK(cudaFreeHost(portable));
    OK(cudaFreeHost(mapped));
    OK(cudaFreeHost(combined));
    OK(cudaFree(device));
    free(block);
    puts("data ok");
    return 0;
}
