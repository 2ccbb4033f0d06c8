/* Tests kinds of memory: which have contents, which have none and why, and which the host does not read.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Contents by the first transfer that had the same: into and out of managed memory, an array, a batch of copies; 9 to
 * 13 one piece of memory mapped twice; from one mapping into the next; of a pool; host memory, of which the host would
 * be slow to read the first kind.
 * > SELECT transfer, direction, taken_on, (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.content),
 * > (SELECT
 * >   min(g.transfer) FROM fingerprints g WHERE g.content = f.before), before IS NOT NULL, missing FROM fingerprints f
 * > ORDER BY transfer
 * 1|h2d||||0|managed memory
 * 2|d2h||||0|managed memory
 * 3|h2d||||0|managed memory
 * 4|h2d||||0|a CUDA array
 * 5|d2h||||0|a CUDA array
 * 6|h2d||||0|a CUDA array
 * 7|h2d||||0|part of a batch call
 * 8|h2d||||0|part of a batch call
 * 9|h2d|device|9||0|
 * 10|h2d|device|9||0|
 * 11|h2d|device|11||0|
 * 12|h2d|device|9||0|
 * 13|d2h|device|9||0|
 * 14|h2d||||0|device memory whose allocation was not seen
 * 15|h2d|host|15||0|
 * 16|h2d|device|16||1|
 * 17|h2d|device|16|16|1|
 * 18|h2d|device|16||1|
 * 19|d2h|device|16||0|
 * 20|h2d|device|20|15|1|
 * 21|d2h|device|20||0|
 * 22|d2h|host|20||0|
 * 23|h2d|device|20|20|1|
 * 24|h2d|device|20|20|1|
 * 25|d2h|host|20||0|
 *
 * needs: cupti
 * > SELECT host_failed, without_record, without_event FROM coverage
 * 0|0|0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

typedef CUresult (*batch_call)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                               CUstream);

enum { BYTES = 12000, SPACE = 65536 };

static unsigned char *pinned, *pageable;
static CUstream stream;

static void managed(void) {
    CUdeviceptr memory;
    OK(cuMemAllocManaged(&memory, SPACE, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemcpyHtoD(memory, pageable, BYTES)); /* 1 */
    OK(cuMemcpyDtoH(pageable, memory, BYTES));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree(memory));
}

static void array(void) {
    CUDA_ARRAY_DESCRIPTOR line = {.Width = BYTES / 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    CUarray memory;
    OK(cuArrayCreate(&memory, &line));
    OK(cuMemcpyHtoA(memory, 0, pageable, BYTES)); /* 4 */
    OK(cuMemcpyAtoH(pageable, memory, 0, BYTES));
    OK(cuMemcpyHtoAAsync(memory, 0, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuArrayDestroy(memory));
}

static void batch(CUdeviceptr memory) {
    CUdeviceptr dsts[2] = {memory, memory + BYTES}, srcs[2] = {(CUdeviceptr)pinned, (CUdeviceptr)pinned};
    size_t sizes[2] = {BYTES, BYTES}, first = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    batch_call copy;
    OK(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&copy, 13000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    OK(copy(dsts, srcs, sizes, 2, &attributes, &first, 1, stream)); /* 7 */
    OK(cuStreamSynchronize(stream));
}

/* Nobody knows yet what is readable of a mapping before a copy into it succeeded; and the same memory may be mapped
 * twice. */
static void mapping(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr once, twice;
    size_t size;

    OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemCreate(&handle, size, &prop, 0));
    OK(cuMemAddressReserve(&once, size, 0, 0, 0));
    OK(cuMemAddressReserve(&twice, size, 0, 0, 0));
    OK(cuMemMap(once, size, 0, handle, 0));
    OK(cuMemMap(twice, size, 0, handle, 0));
    OK(cuMemSetAccess(once, size, &access, 1));
    OK(cuMemSetAccess(twice, size, &access, 1));
    e2e_fill(pinned, BYTES, 5);
    OK(cuMemcpyHtoDAsync(once, pinned, BYTES, stream)); /* 9 */
    OK(cuMemcpyHtoDAsync(once, pinned, BYTES, stream));
    e2e_fill(pinned + SPACE, BYTES, 6);
    OK(cuMemcpyHtoDAsync(twice, pinned + SPACE, BYTES, stream));
    OK(cuMemcpyHtoDAsync(once, pinned, BYTES, stream));
    OK(cuMemcpyDtoHAsync(pinned + SPACE, twice, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + SPACE, BYTES, 5);
    OK(cuMemUnmap(once, size));
    OK(cuMemUnmap(twice, size));
    OK(cuMemRelease(handle));
    OK(cuMemAddressFree(once, size));
    OK(cuMemAddressFree(twice, size));
}

/* From one mapping into the next: neither is known to hold all of it. */
static void seam(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle first, second;
    CUdeviceptr range;
    size_t size;

    OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&range, 2 * size, 0, 0, 0));
    OK(cuMemCreate(&first, size, &prop, 0));
    OK(cuMemCreate(&second, size, &prop, 0));
    OK(cuMemMap(range, size, 0, first, 0));
    OK(cuMemMap(range + size, size, 0, second, 0));
    OK(cuMemSetAccess(range, 2 * size, &access, 1));
    OK(cuMemcpyHtoDAsync(range + size - 4096, pinned, BYTES, stream)); /* 14 */
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyHtoD(range + size - 4096, pageable, BYTES));
    OK(cuCtxSynchronize()); /* pageable memory: the call may return while the last bytes are on their way */
    OK(cuMemUnmap(range, 2 * size));
    OK(cuMemRelease(first));
    OK(cuMemRelease(second));
    OK(cuMemAddressFree(range, 2 * size));
}

static void pool(void) {
    CUdeviceptr memory, again;
    e2e_fill(pinned, BYTES, 8);
    OK(cuMemAllocAsync(&memory, SPACE, stream));
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream)); /* 16 */
    OK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
    OK(cuMemFreeAsync(memory, stream));
    OK(cuMemAllocAsync(&again, SPACE, stream)); /* most likely the same */
    OK(cuMemsetD8Async(again, 1, BYTES, stream));
    OK(cuMemcpyHtoDAsync(again, pinned, BYTES, stream)); /* 18 */
    OK(cuMemcpyDtoHAsync(pinned + SPACE, again, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned + SPACE, BYTES, 8);
    OK(cuMemFreeAsync(again, stream));
    OK(cuStreamSynchronize(stream));
}

/* Host memory of every kind; the host would be slow to read what is write-combined. */
static void host_memory(CUdeviceptr memory) {
    unsigned char *combined, *mapped, *registered = aligned_alloc(4096, SPACE);
    OK(cuMemHostAlloc((void **)&combined, SPACE, CU_MEMHOSTALLOC_WRITECOMBINED));
    OK(cuMemHostAlloc((void **)&mapped, SPACE, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostRegister(registered, SPACE, 0));
    e2e_fill(combined, BYTES, 9);
    e2e_fill(registered, BYTES, 9);
    OK(cuMemcpyHtoD(memory, combined, BYTES)); /* 20 */
    OK(cuMemcpyDtoH(combined, memory, BYTES));
    OK(cuMemcpyDtoH(mapped, memory, BYTES));
    OK(cuMemcpyHtoD(memory, mapped, BYTES));
    OK(cuMemcpyHtoD(memory, registered, BYTES));
    OK(cuMemcpyDtoH(registered, memory, BYTES)); /* 25 */
    e2e_expect(registered, BYTES, 9);
    OK(cuMemHostUnregister(registered));
    OK(cuMemFreeHost(combined));
    OK(cuMemFreeHost(mapped));
    free(registered);
}

int main(void) {
    CUdeviceptr memory;
    int version;

    e2e_context();
    OK(cuDriverGetVersion(&version));
    if (version < 13000)
        return E2E_SKIP;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocHost((void **)&pinned, 2 * SPACE));
    OK(cuMemAlloc(&memory, SPACE));
    pageable = malloc(SPACE);
    e2e_fill(pinned, 2 * SPACE, 1);
    e2e_fill(pageable, SPACE, 1);
    managed();
    array();
    batch(memory);
    mapping();
    seam();
    pool();
    host_memory(memory);
    OK(cuMemFree(memory));
    OK(cuMemFreeHost(pinned));
    OK(cuStreamDestroy(stream));
    free(pageable);
    puts("data ok");
    return 0;
}
