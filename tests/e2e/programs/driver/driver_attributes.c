/* Copies with attributes, which drivers have since CUDA 13.2, looked up as a program does that was built with a newer
 * toolkit: of one dimension and of three, in a stream and in the thread's default stream. They are copies like others.
 *
 * link: cuda
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, src_kind, dst_kind, is_async, batch_index, result FROM transfers ORDER BY id
 * cuMemcpyWithAttributesAsync|h2d|4096|pinned|device|1||0
 * cuMemcpyWithAttributesAsync|d2h|4096|device|pinned|1||0
 * cuMemcpyWithAttributesAsync_ptsz|h2d|4096|pinned|device|1||0
 * cuMemcpyWithAttributesAsync|d2d|4096|device|device|1||0
 * cuMemcpy3DWithAttributesAsync|h2d|480|pinned|device|1||0
 * cuMemcpy3DWithAttributesAsync_ptsz|d2h|480|device|pinned|1||0
 * cuMemcpyWithAttributesAsync|h2h|0|pageable|pageable|1||1
 *
 * The box has its shape, rows of the source and of the destination apart:
 * > SELECT height, depth, src_pitch_bytes, dst_pitch_bytes FROM transfer WHERE height IS NOT NULL ORDER BY id
 * 4|2|128|64
 * 4|2|64|128
 *
 * Their contents are known: the third copy brings what the first one brought to that place, and the second one took
 * away.
 * > SELECT count(*) FROM fingerprints WHERE content IS NOT NULL
 * 5
 *
 * Each has its record of the device, joined by the id that CUPTI's callback gave.
 * needs: cupti
 * > SELECT count(*), count(correlation), count(device_ns) FROM transfers WHERE result = 0
 * 6|6|6
 *
 * Nothing of it is a function that is not known.
 * > SELECT count(*) FROM meta WHERE key LIKE 'coverage.unknown%' AND value <> ''
 * 0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

typedef CUresult (*copy_1d)(CUdeviceptr, CUdeviceptr, size_t, CUmemcpyAttributes *, CUstream);
typedef CUresult (*copy_3d)(CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);

static void *find(const char *name, cuuint64_t flags) {
    void *function = NULL;
    /* A driver that is older than the version asked for refuses the question. */
    if (cuGetProcAddress(name, &function, 13020, flags, NULL) != CUDA_SUCCESS || !function)
        exit(E2E_SKIP);
    return function;
}

int main(void) {
    enum { BYTES = 4096, WIDTH = 60, ROWS = 4, LAYERS = 2 };
    unsigned char *pinned;
    CUdeviceptr device;
    CUstream stream;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    copy_1d copy, copy_per_thread;
    copy_3d box, box_per_thread;

    e2e_context();
    *(void **)&copy = find("cuMemcpyWithAttributesAsync", CU_GET_PROC_ADDRESS_DEFAULT);
    *(void **)&copy_per_thread = find("cuMemcpyWithAttributesAsync", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    *(void **)&box = find("cuMemcpy3DWithAttributesAsync", CU_GET_PROC_ADDRESS_DEFAULT);
    *(void **)&box_per_thread = find("cuMemcpy3DWithAttributesAsync", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    REQUIRE(copy != copy_per_thread && box != box_per_thread);
    OK(cuMemAlloc(&device, 4 * BYTES));
    OK(cuMemAllocHost((void **)&pinned, 4 * BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

    e2e_fill(pinned, BYTES, 1);
    OK(copy(device, (CUdeviceptr)pinned, BYTES, &attributes, stream));
    OK(cuStreamSynchronize(stream));
    memset(pinned, 0, BYTES);
    OK(copy((CUdeviceptr)pinned, device, BYTES, &attributes, stream));
    OK(cuStreamSynchronize(stream));
    e2e_expect(pinned, BYTES, 1);
    OK(copy_per_thread(device, (CUdeviceptr)pinned, BYTES, &attributes, NULL));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    OK(copy(device + BYTES, device, BYTES, &attributes, stream));
    OK(cuStreamSynchronize(stream));

    unsigned char *there = pinned + BYTES, *back = pinned + 2 * BYTES;
    e2e_fill(there, BYTES, 2);
    memset(back, 0, BYTES);
    CUDA_MEMCPY3D_BATCH_OP op = {
        .src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = {(CUdeviceptr)there, 128, ROWS}},
        .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = {device + 2 * BYTES, 64, ROWS}},
        .extent = {WIDTH, ROWS, LAYERS},
        .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    OK(box(&op, 0, stream));
    OK(cuStreamSynchronize(stream));
    op.src.op.ptr.ptr = device + 2 * BYTES, op.src.op.ptr.rowLength = 64;
    op.dst.op.ptr.ptr = (CUdeviceptr)back, op.dst.op.ptr.rowLength = 128;
    OK(box_per_thread(&op, 0, NULL));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    for (size_t row = 0; row < ROWS * LAYERS; row++)
        REQUIRE(memcmp(there + row * 128, back + row * 128, WIDTH) == 0);
    REQUIRE(copy(0, 0, 0, NULL, stream) == CUDA_ERROR_INVALID_VALUE);

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
