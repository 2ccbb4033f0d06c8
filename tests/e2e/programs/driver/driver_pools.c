/* Stream-ordered allocation from the device's default pool and from a pool of the program's own.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, bytes, kind, origin, device, stream IS NOT NULL, free_entry_point FROM allocations
 * > WHERE origin = 'pool'
 * > ORDER BY id
 * cuMemAllocAsync|100000|device|pool|0|1|cuMemFreeAsync
 * cuMemAllocFromPoolAsync|200000|device|pool|0|1|cuMemFreeAsync
 * cuMemAllocAsync|300000|device|pool|0|1|cuMemFree_v2
 *
 * > SELECT t.bytes, t.direction, s.bytes, d.bytes FROM transfer t LEFT JOIN allocation s ON s.id = t.src_allocation
 * > LEFT JOIN allocation d ON d.id = t.dst_allocation ORDER BY t.id
 * 100000|1|262144|100000
 * 100000|3|100000|200000
 * 100000|3|200000|300000
 * 100000|2|300000|262144
 *
 * > SELECT count(*) FROM allocation WHERE free_stream IS NOT NULL
 * 2
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

int main(void) {
    unsigned char *pinned;
    CUdeviceptr a, b, c;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool;
    CUstream stream;

    e2e_context();
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemHostAlloc((void **)&pinned, 262144, CU_MEMHOSTALLOC_PORTABLE));
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocAsync(&a, 100000, stream));
    OK(cuMemAllocFromPoolAsync(&b, 200000, pool, stream));
    OK(cuMemAllocAsync(&c, 300000, stream));
    e2e_fill(pinned, 100000, 1);
    OK(cuMemcpyHtoDAsync(a, pinned, 100000, stream));
    OK(cuMemcpyDtoDAsync(b, a, 100000, stream));
    OK(cuMemcpyDtoDAsync(c, b, 100000, stream));
    OK(cuMemFreeAsync(a, stream));
    OK(cuMemFreeAsync(b, stream));
    OK(cuStreamSynchronize(stream));
    memset(pinned, 0, 100000);
    OK(cuMemcpyDtoHAsync(pinned, c, 100000, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, 100000, 1);
    OK(cuMemFree(c));
    OK(cuMemPoolDestroy(pool));
    OK(cuMemFreeHost(pinned));
    OK(cuStreamDestroy(stream));
    puts("data ok");
    return 0;
}
