/* Managed memory: allocation, advice, prefetches to the device and back, a copy out of it, and the pages that moved.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, bytes, kind, origin, free_entry_point FROM allocations ORDER BY id
 * cuMemAllocManaged|4194304|managed|alloc|cuMemFree_v2
 * cuMemAlloc_v2|4096|device|alloc|cuMemFree_v2
 *
 * > SELECT e.name, a.bytes, a.result FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > JOIN category c ON c.id = e.category WHERE c.name = 'managed memory' ORDER BY a.id
 * cuMemAdvise_v2|4194304|0
 * cuMemPrefetchAsync_v2|4194304|0
 * cuMemPrefetchAsync_v2|4194304|0
 *
 * > SELECT entry_point, bytes, src_kind, dst_kind, result FROM transfers ORDER BY id
 * cuMemcpyDtoD_v2|4096|managed|device|0
 * cuMemcpyDtoH_v2|4096|device|pageable|0
 *
 * needs: cupti
 * > SELECT k.name, sum(bytes) >= 4194304 FROM device_migration m JOIN migration_kind k ON k.id = m.kind
 * > WHERE k.name IN ('h2d', 'd2h') GROUP BY 1 ORDER BY 1
 * d2h|1
 * h2d|1
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 4 * 1024 * 1024 };
    unsigned char *host = calloc(1, 4096);
    CUdeviceptr managed, device;
    CUmemLocation gpu = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                  cpu = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    CUstream stream;
    int concurrent = 0;

    e2e_context();
    OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
    if (!concurrent)
        return E2E_SKIP;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAlloc(&device, 4096));
    e2e_fill((void *)managed, BYTES, 1);
    OK(cuMemAdvise(managed, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, gpu));
    OK(cuMemPrefetchAsync(managed, BYTES, gpu, 0, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoD(device, managed + 4096, 4096));
    OK(cuCtxSynchronize());
    OK(cuMemPrefetchAsync(managed, BYTES, cpu, 0, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect((void *)managed, BYTES, 1);
    OK(cuMemcpyDtoH(host, device, 4096));
    for (size_t i = 0; i < 4096; i++)
        REQUIRE(host[i] == e2e_byte(1, 4096 + i));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(managed));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
