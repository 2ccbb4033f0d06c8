/* Virtual memory management: reserve, create, map twice, copy across the seam, unmap, release.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, bytes > 0, kind, device, free_entry_point FROM allocations WHERE origin = 'vmm' ORDER BY id
 * cuMemMap|1|device|0|cuMemUnmap
 * cuMemMap|1|device|0|cuMemUnmap
 *
 * The second mapping begins where the first ends; a copy belongs to the allocation it starts in:
 * > SELECT b.address - a.address = a.bytes FROM allocation a, allocation b WHERE a.id < b.id
 * 1
 *
 * > SELECT t.direction, t.bytes, s.id IS NOT NULL, d.id IS NOT NULL, t.src_kind, t.dst_kind, t.result FROM transfer t
 * > LEFT JOIN allocation s ON s.id = t.src_allocation LEFT JOIN allocation d ON d.id = t.dst_allocation ORDER BY t.id
 * 1|8192|0|1|1|4|0
 * 2|8192|1|0|4|1|0
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    unsigned char *host = malloc(8192), *back = calloc(1, 8192);
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle first, second;
    CUdeviceptr range;
    size_t size;

    e2e_context();
    OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&range, 2 * size, 0, 0, 0));
    OK(cuMemCreate(&first, size, &prop, 0));
    OK(cuMemCreate(&second, size, &prop, 0));
    OK(cuMemMap(range, size, 0, first, 0));
    OK(cuMemMap(range + size, size, 0, second, 0));
    OK(cuMemSetAccess(range, 2 * size, &access, 1));
    e2e_fill(host, 8192, 1);
    OK(cuMemcpyHtoD(range + size - 4096, host, 8192));
    OK(cuMemcpyDtoH(back, range + size - 4096, 8192));
    e2e_expect(back, 8192, 1);
    OK(cuMemUnmap(range, 2 * size));
    OK(cuMemRelease(first));
    OK(cuMemRelease(second));
    OK(cuMemAddressFree(range, 2 * size));
    puts("data ok");
    return 0;
}
