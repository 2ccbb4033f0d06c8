/* Host memory in every form: page-locked by its allocation, registered afterwards, unregistered again.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, bytes, kind, free_entry_point FROM allocations WHERE kind <> 'device' ORDER BY id
 * cuMemAllocHost_v2|65536|pinned|cuMemFreeHost
 * cuMemHostAlloc|65536|pinned|cuMemFreeHost
 * cuMemHostAlloc|65536|pinned|cuMemFreeHost
 * cuMemHostRegister_v2|65536|registered|cuMemHostUnregister
 *
 * Unregistered memory is pageable again, and the part of a block beside a registration stays pageable:
 * > SELECT bytes, src_kind, src_allocation IS NOT NULL FROM transfers WHERE direction = 'h2d' ORDER BY id
 * 1000|pinned|1
 * 2000|pinned|1
 * 3000|pinned|1
 * 4000|registered|1
 * 5000|pageable|0
 * 6000|pageable|0
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 65536 };
    void *plain, *portable, *mapped;
    unsigned char *block = aligned_alloc(4096, 2 * BYTES), back[1000];
    CUdeviceptr device;

    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost(&plain, BYTES));
    OK(cuMemHostAlloc(&portable, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    OK(cuMemHostAlloc(&mapped, BYTES, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED));
    OK(cuMemHostRegister(block, BYTES, CU_MEMHOSTREGISTER_PORTABLE));
    e2e_fill(plain, BYTES, 1);
    e2e_fill(block, 2 * BYTES, 2);

    OK(cuMemcpyHtoD(device, plain, 1000));
    OK(cuMemcpyHtoD(device, portable, 2000));
    OK(cuMemcpyHtoD(device, (char *)mapped + 512, 3000));
    OK(cuMemcpyHtoD(device, block + 8192, 4000));
    OK(cuMemcpyHtoD(device, block + BYTES, 5000));
    OK(cuMemHostUnregister(block));
    OK(cuMemcpyHtoD(device, block, 6000));

    OK(cuMemcpyDtoH(back, device, 1000));
    e2e_expect(back, 1000, 2);
    OK(cuMemFreeHost(plain));
    OK(cuMemFreeHost(portable));
    OK(cuMemFreeHost(mapped));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
