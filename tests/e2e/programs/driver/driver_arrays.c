/* Copies into, out of and between CUDA arrays, one- and two-dimensional.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, src_kind, dst_kind, is_async, result FROM transfers ORDER BY id
 * cuMemcpyHtoA_v2|h2d|4096|pageable|array|0|0
 * cuMemcpyAtoA_v2|d2d|4096|array|array|0|0
 * cuMemcpyAtoD_v2|d2d|4096|array|device|0|0
 * cuMemcpyDtoA_v2|d2d|4096|device|array|0|0
 * cuMemcpyAtoH_v2|d2h|4096|array|pageable|0|0
 * cuMemcpyHtoAAsync_v2|h2d|1024|pinned|array|1|0
 * cuMemcpyAtoHAsync_v2|d2h|1024|array|pinned|1|0
 * cuMemcpy2D_v2|h2d|4096|pageable|array|0|0
 * cuMemcpy2D_v2|d2h|2048|array|pageable|0|0
 *
 * > SELECT entry_point, bytes, kind, origin, free_entry_point FROM allocations ORDER BY id
 * cuArrayCreate_v2|4096|array|alloc|cuArrayDestroy
 * cuArrayCreate_v2|4096|array|alloc|cuArrayDestroy
 * cuArray3DCreate_v2|4096|array|alloc|cuArrayDestroy
 * cuMemAlloc_v2|4096|device|alloc|cuMemFree_v2
 * cuMemAllocHost_v2|4096|pinned|alloc|cuMemFreeHost
 *
 * Both ends of each copy are known allocations where they are CUDA's:
 * > SELECT count(*), sum(src_allocation IS NOT NULL), sum(dst_allocation IS NOT NULL) FROM transfers
 * 9|7|7
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

int main(void) {
    unsigned char *host = malloc(4096), *back = calloc(1, 4096), *pinned;
    CUarray a, b, square;
    CUdeviceptr d;
    CUstream stream;
    CUDA_ARRAY_DESCRIPTOR line = {.Width = 1024, .Height = 0, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    CUDA_ARRAY3D_DESCRIPTOR plane = {
        .Width = 32, .Height = 32, .Depth = 0, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    CUDA_MEMCPY2D c;

    e2e_context();
    OK(cuArrayCreate(&a, &line));
    OK(cuArrayCreate(&b, &line));
    OK(cuArray3DCreate(&square, &plane));
    OK(cuMemAlloc(&d, 4096));
    OK(cuMemAllocHost((void **)&pinned, 4096));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

    e2e_fill(host, 4096, 1);
    OK(cuMemcpyHtoA(a, 0, host, 4096));
    OK(cuMemcpyAtoA(b, 0, a, 0, 4096));
    OK(cuMemcpyAtoD(d, b, 0, 4096));
    OK(cuMemcpyDtoA(a, 0, d, 4096));
    OK(cuCtxSynchronize());
    OK(cuMemcpyAtoH(back, a, 0, 4096));
    e2e_expect(back, 4096, 1);

    e2e_fill(pinned, 1024, 2);
    OK(cuMemcpyHtoAAsync(a, 2048, pinned, 1024, stream));
    OK(cuMemcpyAtoHAsync(pinned + 2048, a, 2048, 1024, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + 2048, 1024, 2);

    memset(&c, 0, sizeof c);
    c.WidthInBytes = 128, c.Height = 32;
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host, c.srcPitch = 128;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = square;
    OK(cuMemcpy2D(&c));
    memset(&c, 0, sizeof c);
    c.WidthInBytes = 128, c.Height = 16;
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = square, c.srcY = 16;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = back, c.dstPitch = 128;
    OK(cuMemcpy2D(&c));
    REQUIRE(memcmp(back, host + 2048, 2048) == 0);

    OK(cuStreamDestroy(stream));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuArrayDestroy(square));
    OK(cuMemFree(d));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
