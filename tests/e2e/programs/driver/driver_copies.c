/* A program linked to libcuda: every one-dimensional copy of the driver's API once, with pageable and pinned memory.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, src_kind, dst_kind, is_async, is_captured, result FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|h2d|4096|pageable|device|0|0|0
 * cuMemcpyDtoD_v2|d2d|4096|device|device|0|0|0
 * cuMemcpyDtoH_v2|d2h|4096|device|pageable|0|0|0
 * cuMemcpyHtoDAsync_v2|h2d|8192|pinned|device|1|0|0
 * cuMemcpyDtoDAsync_v2|d2d|8192|device|device|1|0|0
 * cuMemcpyDtoHAsync_v2|d2h|8192|device|pinned|1|0|0
 * cuMemcpy|h2d|12288|pageable|device|0|0|0
 * cuMemcpy|d2h|12288|device|pinned|0|0|0
 * cuMemcpyAsync|h2d|16384|pinned|device|1|0|0
 * cuMemcpyAsync|d2d|16384|device|device|1|0|0
 * cuMemcpyAsync|d2h|16384|device|pinned|1|0|0
 * cuMemcpyHtoD_v2|h2d|1001|pageable|device|0|0|0
 * cuMemcpyDtoH_v2|d2h|1001|device|pageable|0|0|0
 *
 * Where within their allocations the copies lie:
 * > SELECT t.bytes, t.dst_address - a.address, b.address IS NULL FROM transfer t
 * > JOIN allocation a ON a.id = t.dst_allocation
 * > LEFT JOIN allocation b ON b.id = t.src_allocation WHERE t.direction = 1 ORDER BY t.id
 * 4096|0|1
 * 8192|0|0
 * 12288|0|1
 * 16384|0|0
 * 1001|3|1
 *
 * > SELECT entry_point, bytes, kind, origin, device, free_entry_point FROM allocations ORDER BY id
 * cuMemAlloc_v2|65536|device|alloc|0|cuMemFree_v2
 * cuMemAlloc_v2|65536|device|alloc|0|cuMemFree_v2
 * cuMemAllocHost_v2|65536|pinned|alloc||cuMemFreeHost
 *
 * > SELECT entry_point, scope, result FROM syncs ORDER BY id
 * cuCtxSynchronize|context|0
 * cuStreamSynchronize|stream|0
 * cuStreamSynchronize|stream|0
 *
 * Legacy default stream for the blocking ones, one stream of our own for the others:
 * > SELECT is_async, count(DISTINCT t.stream) FROM transfer t GROUP BY 1 ORDER BY 1
 * 0|1
 * 1|1
 *
 * Every copy has its device time, between the bounds that the host saw where it waited:
 * needs: cupti
 * > SELECT count(*), sum(device_ns > 0), sum(start_ns >= enter_ns - 1000000) FROM transfers
 * 13|13|13
 *
 * needs: cupti
 * > SELECT count(*), sum(end_ns <= return_ns + 1000000) FROM transfers WHERE direction = 'd2h' AND is_async = 0
 * 3|3
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    enum { BYTES = 65536 };
    unsigned char *pageable = malloc(BYTES), *pinned;
    CUdeviceptr a, b;
    CUstream stream;

    e2e_context();
    OK(cuMemAlloc(&a, BYTES));
    OK(cuMemAlloc(&b, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

    e2e_fill(pageable, 4096, 1);
    OK(cuMemcpyHtoD(a, pageable, 4096));
    OK(cuMemcpyDtoD(b, a, 4096));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(pageable + 8192, b, 4096));
    e2e_expect(pageable + 8192, 4096, 1);

    e2e_fill(pinned, 8192, 2);
    OK(cuMemcpyHtoDAsync(a, pinned, 8192, stream));
    OK(cuMemcpyDtoDAsync(b, a, 8192, stream));
    OK(cuMemcpyDtoHAsync(pinned + 8192, b, 8192, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + 8192, 8192, 2);

    e2e_fill(pageable, 12288, 3);
    OK(cuMemcpy(a, (CUdeviceptr)pageable, 12288));
    OK(cuMemcpy((CUdeviceptr)pinned, a, 12288));
    e2e_expect(pinned, 12288, 3);

    e2e_fill(pinned, 16384, 4);
    OK(cuMemcpyAsync(a, (CUdeviceptr)pinned, 16384, stream));
    OK(cuMemcpyAsync(b, a, 16384, stream));
    OK(cuMemcpyAsync((CUdeviceptr)(pinned + 16384), b, 16384, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + 16384, 16384, 4);

    e2e_fill(pageable + 1, 1001, 5);
    OK(cuMemcpyHtoD(a + 3, pageable + 1, 1001));
    OK(cuMemcpyDtoH(pageable + 5001, a + 3, 1001));
    e2e_expect(pageable + 5001, 1001, 5);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    OK(cuMemFreeHost(pinned));
    free(pageable);
    puts("data ok");
    return 0;
}
