/* The application takes all of the device's memory after the first fingerprints: it gets as much as without xferspy,
 * whichever way it asks, because fingerprints give theirs back when an allocation finds none. From then on that context
 * has none on the device. Not of asynchronous allocations, which must not be made to wait for the device.
 *
 * only: sim
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_MEMORY_BYTES=67108864
 * stdout: cuMemAlloc: 64 MiB
 * stdout: cuMemCreate: 64 MiB
 * stdout: cuMemAllocPitch: 64 MiB
 * stdout: cuMemCreate beside a capture: 64 MiB
 * stdout: data ok
 *
 * A context each: up before, and up and down again when all is taken.
 * > SELECT transfer, direction, taken_on, content = (SELECT content FROM fingerprints
 * > WHERE transfer = 1), before IS NOT NULL, missing
 * > FROM fingerprints ORDER BY transfer
 * 1|h2d|device|1|1|
 * 2|h2d|||0|no device memory
 * 3|d2h|host|1|0|
 * 4|h2d|device|1|1|
 * 5|h2d|||0|no device memory
 * 6|d2h|host|1|0|
 * 7|h2d|device|1|1|
 * 8|h2d|||0|no device memory
 * 9|d2h|host|1|0|
 * 10|h2d|device|1|1|
 * 11|h2d|||0|no device memory
 * 12|d2h|host|1|0|
 *
 * > SELECT text, count(*) FROM note WHERE topic = 'fingerprint' GROUP BY 1
 * the application ran out of device memory: fingerprints gave theirs back|1
 *
 * > SELECT value FROM meta WHERE key = 'cost.fingerprint_device_bytes'
 * 0
 *
 * needs: cupti
 * > SELECT host_transfers, host_failed, without_record, without_event FROM coverage
 * 12|0|0|0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { MIB = 1 << 20, MOST = 128, BYTES = 100000 };

static CUstream stream;
static unsigned char *pinned, *host;

static int by_alloc(void) {
    CUdeviceptr p;
    return cuMemAlloc(&p, MIB) == CUDA_SUCCESS ? 1 : 0;
}

static CUmemGenericAllocationHandle handles[MOST];
static int created;

static int by_create(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    if (cuMemCreate(&handles[created], 2 * MIB, &prop, 0) != CUDA_SUCCESS)
        return 0;
    created++;
    return 2;
}

static int by_alloc_pitch(void) {
    CUdeviceptr p;
    size_t pitch;
    return cuMemAllocPitch(&p, &pitch, 1024, 1024, 4) == CUDA_SUCCESS ? 1 : 0;
}

static void play(const char *name, int (*take)(void), int capturing) {
    CUcontext context;
    CUdeviceptr first;
    CUstream captured;
    CUgraph graph;
    int mebibytes = 2, more;

    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemHostAlloc((void **)&pinned, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    e2e_fill(pinned, BYTES, 1);
    OK(cuMemAlloc(&first, 2 * MIB));
    OK(cuMemcpyHtoDAsync(first, pinned, BYTES, stream));
    OK(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING));
    if (capturing) /* forbids this thread what is not known to be safe meanwhile */
        OK(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
    while ((more = take()) > 0)
        mebibytes += more;
    if (capturing) {
        OK(cuMemsetD8Async(first, 0, 1, captured));
        OK(cuStreamEndCapture(captured, &graph));
        OK(cuGraphDestroy(graph));
    }
    printf("%s: %d MiB\n", name, mebibytes);
    OK(cuMemcpyHtoDAsync(first, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    memset(host, 0, BYTES);
    OK(cuMemcpyDtoH(host, first, BYTES));
    e2e_expect(host, BYTES, 1);
    while (created > 0)
        OK(cuMemRelease(handles[--created]));
    OK(cuMemFreeHost(pinned));
    OK(cuCtxDestroy(context));
}

int main(void) {
    OK(cuInit(0));
    host = malloc(BYTES);
    e2e_fill(host, BYTES, 1);
    play("cuMemAlloc", by_alloc, 0);
    play("cuMemCreate", by_create, 0);
    play("cuMemAllocPitch", by_alloc_pitch, 0);
    play("cuMemCreate beside a capture", by_create, 1);
    free(host);
    puts("data ok");
    return 0;
}
