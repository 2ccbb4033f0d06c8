/* Pageable copies through the repair stage: blocking and asynchronous, up and down, of sizes around those at which it
 * decides something, in each kind of stream. The source is changed right behind each call, and asynchronous downloads
 * are looked at as soon as the call returns, because both hold of pageable memory.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_REPAIR=stage XFERSPY_REPAIR_LOG=$dir/repair.json
 * notices: 2
 * stdout: data ok
 *
 * Small copies, copies of page-locked memory and those of unknown memory are made by the driver; so is a copy that is
 * refused:
 * $ grep -o '"name":"stage","applied":[0-9]*' $dir/repair.json
 * "name":"stage","applied":42
 *
 * The trace has the program's calls and no others:
 * > SELECT direction, count(*), sum(result <> 0) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|23|0
 * h2d|24|1
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

static CUdeviceptr device;
static unsigned char *source, *target;
static unsigned seed;

/* There and back, with bytes around the region that must stay as they are. */
static void round_trip(size_t offset, size_t bytes, CUstream stream, int is_async) {
    seed++;
    e2e_fill(source + offset, bytes, seed);
    memset(target, 0xee, offset + bytes + 64);
    if (is_async) {
        OK(cuMemcpyHtoDAsync(device + offset, source + offset, bytes, stream));
        memset(source + offset, 0xaa, bytes);
        OK(cuMemcpyDtoHAsync(target + offset, device + offset, bytes, stream));
    } else {
        OK(cuMemcpyHtoD(device + offset, source + offset, bytes));
        memset(source + offset, 0xaa, bytes);
        OK(cuMemcpyDtoH(target + offset, device + offset, bytes));
    }
    e2e_expect(target + offset, bytes, seed);
    e2e_expect_value(target, offset, 0xee);
    e2e_expect_value(target + offset + bytes, 64, 0xee);
}

int main(void) {
    const size_t kib = 1024, mib = 1024 * kib, most = 20 * mib;
    const size_t sizes[] = {512 * kib, 512 * kib + 1, 2 * mib, 2 * mib + 3, 8 * mib - 1, 8 * mib, most - 777};
    unsigned char *pinned;
    CUstream stream, blocking;

    e2e_context();
    source = malloc(most + 4096);
    target = malloc(most + 4096);
    REQUIRE(source && target);
    OK(cuMemAlloc(&device, most + 4096));
    OK(cuMemAllocHost((void **)&pinned, mib));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const CUstream streams[] = {stream, blocking, NULL, CU_STREAM_PER_THREAD};
        round_trip(i * 13, sizes[i], NULL, 0);
        round_trip(i * 7, sizes[i], streams[i % 4], 1);
        round_trip(i, sizes[i], streams[(i + 1) % 4], 1);
    }
    round_trip(5, 512 * kib - 1, NULL, 0);
    e2e_fill(pinned, mib, 1000);
    OK(cuMemcpyHtoDAsync(device, pinned, mib, stream));
    OK(cuMemcpyDtoHAsync(pinned, device, mib, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, mib, 1000);

    /* Beyond the allocation's end: the driver refuses all of it. */
    REQUIRE(cuMemcpyHtoD(device + most, source, mib) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    free(source);
    free(target);
    puts("data ok");
    return 0;
}
