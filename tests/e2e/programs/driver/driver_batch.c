/* Batch copies of both generations, with and without the failIdx argument, as cuGetProcAddress hands them out by
 * version.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, src_kind, dst_kind, is_async, batch_index, result FROM transfers ORDER BY id
 * cuMemcpyBatchAsync|h2d|1024|pinned|device|1|0|0
 * cuMemcpyBatchAsync|h2d|2048|pinned|device|1|1|0
 * cuMemcpyBatchAsync|h2d|3072|pinned|device|1|2|0
 * cuMemcpyBatchAsync_v2|d2h|1024|device|pinned|1|0|0
 * cuMemcpyBatchAsync_v2|d2h|2048|device|pinned|1|1|0
 * cuMemcpyBatchAsync_v2|d2h|3072|device|pinned|1|2|0
 *
 * The copies of one call share its times:
 * > SELECT entry_point, count(DISTINCT enter_ns), count(DISTINCT return_ns) FROM transfers GROUP BY 1 ORDER BY 1
 * cuMemcpyBatchAsync|1|1
 * cuMemcpyBatchAsync_v2|1|1
 *
 * The device may join the copies of a batch into one record, but moves all their bytes:
 * needs: cupti
 * > SELECT k.name, sum(copies), sum(bytes) FROM device_copy d JOIN copy_kind k ON k.id = d.kind GROUP BY 1 ORDER BY 1
 * d2h|3|6144
 * h2d|3|6144
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

typedef CUresult (*batch_v1)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                             size_t *, CUstream);
typedef CUresult (*batch_v2)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                             CUstream);

int main(void) {
    unsigned char *pinned;
    CUdeviceptr device, dsts[3], srcs[3];
    size_t sizes[3] = {1024, 2048, 3072}, first = 0, fail = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUstream stream;
    batch_v1 v1;
    batch_v2 v2;

    e2e_context();
    int version;
    OK(cuDriverGetVersion(&version));
    if (version < 13000)
        return E2E_SKIP;
    OK(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&v1, 12080, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    OK(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&v2, 13000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    REQUIRE((void *)v1 != (void *)v2);
    OK(cuMemAlloc(&device, 16384));
    OK(cuMemAllocHost((void **)&pinned, 16384));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

    for (int i = 0; i < 3; i++) {
        e2e_fill(pinned + 4096 * i, sizes[i], (unsigned)i);
        srcs[i] = (CUdeviceptr)(pinned + 4096 * i);
        dsts[i] = device + 4096 * (unsigned)i;
    }
    OK(v1(dsts, srcs, sizes, 3, &attributes, &first, 1, &fail, stream));
    OK(cuStreamSynchronize(stream));
    memset(pinned, 0, 16384);
    OK(v2(srcs, dsts, sizes, 3, &attributes, &first, 1, stream));
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < 3; i++)
        e2e_expect(pinned + 4096 * i, sizes[i], (unsigned)i);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
