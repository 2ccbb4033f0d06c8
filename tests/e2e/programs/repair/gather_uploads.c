/* Makes small uploads through the repair gather, and each kind of call that may see them. The call must find what the
 * program uploaded, in the order in which it did. Sources are overwritten directly after each call.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_FINGERPRINT=off XFERSPY_REPAIR=gather XFERSPY_REPAIR_LOG=$dir/repair.json
 * notices: 2
 * stdout: data ok
 *
 * Capture's kernels for fingerprints would look at the memory in between, and send the batch. CUPTI is off because its
 * records are of the repair's copies.
 * $ grep -o '"name":"gather","applied":[0-9]*' $dir/repair.json
 * "name":"gather","applied":968
 *
 * $ grep -o '"the [^"]*":[0-9]*' $dir/repair.json
 * "the device may write the page-locked source":33
 * "the per-thread default stream":16
 *
 * > SELECT count(*), sum(result <> 0) FROM transfers WHERE direction = 'h2d' AND entry_point LIKE 'cuMemcpyHtoD%'
 * 1017|0
 */
#include <cuda.h>
#include <string.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { PIECE = 1000, PIECES = 64, BYTES = PIECE * PIECES };

static CUdeviceptr device, other;
static unsigned char source[BYTES], back[BYTES];
static unsigned seed;

/* Uploads new content in pieces: scattered if `step` is 5, as one run in ascending order if it is 1. */
static void upload(size_t piece, unsigned step, CUstream stream, int is_async) {
    const unsigned pieces = (unsigned)(BYTES / piece);
    seed++;
    for (unsigned k = 0; k < pieces; k++) {
        const size_t at = (size_t)(k * step % pieces) * piece;
        for (size_t i = 0; i < piece; i++)
            source[at + i] = e2e_byte(seed, at + i);
        OK(is_async ? cuMemcpyHtoDAsync(device + at, source + at, piece, stream)
                    : cuMemcpyHtoD(device + at, source + at, piece));
        memset(source + at, 0xaa, piece);
    }
}

static void expect(void) {
    memset(back, 0, BYTES);
    OK(cuMemcpyDtoH(back, device, BYTES));
    e2e_expect(back, BYTES, seed);
}

int main(void) {
    size_t n = BYTES;
    unsigned char *pinned;
    CUmodule module;
    CUfunction add_one;
    CUstream stream, second;
    CUevent event;

    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&add_one, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAlloc(&other, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_DEFAULT));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    void *parameters[] = {&device, &n};

    /* A download: of adjacent pieces, of scattered ones, and of other sizes. */
    for (unsigned step = 1; step <= 5; step += 4) {
        upload(PIECE, step, NULL, 0);
        expect();
        upload(PIECE / 2, step, second, 1);
        expect();
    }
    /* A launch in the same stream, and then one in another stream than the uploads. */
    upload(PIECE, 1, stream, 1);
    OK(cuLaunchKernel(add_one, 4, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, device, BYTES));
    for (size_t i = 0; i < BYTES; i++)
        REQUIRE(back[i] == (unsigned char)(e2e_byte(seed, i) + 1));
    upload(PIECE, 5, NULL, 0);
    OK(cuLaunchKernel(add_one, 4, 1, 1, 64, 1, 1, 0, second, parameters, NULL));
    upload(PIECE, 1, second, 1); /* behind the kernel */
    OK(cuStreamSynchronize(second));
    expect();
    /* An event that another stream waits for, which then copies on the device. */
    upload(PIECE, 1, stream, 1);
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuMemcpyDtoDAsync(other, device, BYTES, second));
    OK(cuMemsetD8Async(device, 0x55, BYTES, second));
    OK(cuStreamSynchronize(second));
    OK(cuMemcpyDtoH(back, other, BYTES));
    e2e_expect(back, BYTES, seed);
    /* Uploads over one another in one batch: the last one counts. */
    for (unsigned i = 0; i < 96; i++) {
        const unsigned at = i % 12 * 5000 + i / 12 * 600;
        seed++;
        for (unsigned k = 0; k < 3000; k++)
            back[at + k] = source[k] = e2e_byte(seed, k);
        OK(cuMemcpyHtoDAsync(other + at, source, 3000, stream));
        memset(source, 0xaa, 3000);
    }
    OK(cuMemcpyDtoHAsync(pinned, other, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    REQUIRE(memcmp(pinned, back, BYTES) == 0);
    /* Page-locked memory that the device writes before the upload reads it, and after a wait for everything. */
    upload(PIECE, 1, stream, 1);
    OK(cuMemcpyDtoHAsync(pinned, device, BYTES, stream));
    for (unsigned k = 0; k < 32; k++)
        OK(cuMemcpyHtoDAsync(other + k * PIECE, pinned + k * PIECE, PIECE, stream));
    OK(cuMemcpyDtoHAsync(back, other, 32 * PIECE, stream));
    e2e_expect(back, 32 * PIECE, seed);
    OK(cuCtxSynchronize());
    e2e_fill(pinned, BYTES, ++seed);
    for (unsigned k = 0; k < PIECES; k++)
        OK(cuMemcpyHtoDAsync(device + k * PIECE, pinned + k * PIECE, PIECE, stream));
    OK(cuStreamSynchronize(stream));
    expect();
    OK(cuMemcpyHtoD(device, pinned, PIECE));
    /* The thread's own default stream. */
    e2e_fill(source, PIECE, seed);
    for (unsigned k = 0; k < 16; k++)
        OK(cuMemcpyHtoDAsync(device + PIECE * k, source, PIECE, CU_STREAM_PER_THREAD));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    OK(cuMemcpyDtoH(back, device + 15 * PIECE, PIECE));
    e2e_expect(back, PIECE, seed);
    /* The memory of the upload is freed at once, and comes back. */
    for (unsigned i = 0; i < 20; i++) {
        CUdeviceptr brief;
        OK(cuMemAlloc(&brief, 4096));
        OK(cuMemcpyHtoD(brief, source, 100));
        OK(cuMemcpyHtoD(brief + 200, source, 100));
        OK(cuMemFree(brief));
    }
    OK(cuStreamDestroy(stream));
    OK(cuStreamDestroy(second));
    upload(PIECE, 5, NULL, 0); /* nobody ever reads these bytes, because the process ends */
    puts("data ok");
    return 0;
}
