/* Managed memory through the runtime, moved by prefetches both ways and written by the host in between.
 *
 * link: cudart
 * stdout: data ok
 *
 * > SELECT kind, bytes, free_enter_ns IS NOT NULL FROM allocations
 * managed|2097152|1
 *
 * > SELECT count(*), sum(a.bytes) FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > WHERE e.name LIKE 'cuMemPrefetch%'
 * 2|4194304
 *
 * needs: cupti
 * > SELECT k.name, sum(bytes) >= 2097152 FROM device_migration m JOIN migration_kind k ON k.id = m.kind
 * > WHERE k.name IN ('h2d', 'd2h') GROUP BY 1 ORDER BY 1
 * d2h|1
 * h2d|1
 *
 * > SELECT count(*) FROM transfer
 * 0
 */
#include <cuda_runtime_api.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 2097152 };
    struct cudaMemLocation gpu = {.type = cudaMemLocationTypeDevice, .id = 0},
                           cpu = {.type = cudaMemLocationTypeHost, .id = 0};
    int concurrent = 0;
    void *managed;

    OK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    if (!concurrent)
        return E2E_SKIP;
    OK(cudaMallocManaged(&managed, BYTES, cudaMemAttachGlobal));
    e2e_fill(managed, BYTES, 1);
    OK(cudaMemPrefetchAsync(managed, BYTES, gpu, 0, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaMemPrefetchAsync(managed, BYTES, cpu, 0, 0));
    OK(cudaDeviceSynchronize());
    e2e_expect(managed, BYTES, 1);
    OK(cudaFree(managed));
    puts("data ok");
    return 0;
}
