/* A guard that warns: each rule is told once, at the first call that breaks it, and calls that keep it are not told: in
 * a step that is skipped, between steps, up to the limit, captured into a graph, and failed.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=iteration XFERSPY_SKIP_STEPS=1 XFERSPY_FINGERPRINT=all XFERSPY_GUARD=warn:h2d-in-step>1,waits-per-step>2,d2h-in-step>0,d2h>64B,pageable>1KiB,h2d>1MiB,noop-upload
 * stdout: data ok
 * notices: 6
 *
 * $ grep "the guard's" $stderr | sed "s|.*the guard's ||; s| (cu.*||"
 * rule h2d-in-step>1 is broken by an upload of 32 bytes, number 2 in step 3
 * rule waits-per-step>2 is broken by a wait, number 3 in step 3
 * rule d2h-in-step>0 is broken by a download of 64 bytes, number 1 in step 3
 * rule d2h>64B is broken by a download of 65 bytes
 * rule pageable>1KiB is broken by a copy between the device and pageable memory of 2048 bytes
 *
 * $ grep -c "(cu[A-Za-z_0-9]*) at guard_warn+0x[0-9a-f]* < guard_warn+0x" $stderr
 * 5
 *
 * > SELECT count(*), count(DISTINCT text) FROM note WHERE topic = 'guard'
 * 5|5
 */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <string.h>

#include "../check.h"

static CUdeviceptr device;
static unsigned char *pinned, contents;

/* Each upload has another content, so that none is of what the device has. */
__attribute__((noinline)) static void upload(size_t bytes) {
    memset(pinned, ++contents, bytes);
    OK(cuMemcpyHtoD(device, pinned, bytes));
}

__attribute__((noinline)) static void step(int uploads, int waits) {
    nvtxRangePushA("iteration");
    for (int i = 0; i < uploads; i++)
        upload(32);
    for (int i = 0; i < waits; i++)
        OK(cuCtxSynchronize());
    nvtxRangePop();
}

__attribute__((noinline)) static void capture(void) {
    CUstream stream;
    CUgraph graph;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuMemcpyDtoHAsync(pinned, device, 4096, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
}

int main(void) {
    static unsigned char pageable[2048];
    e2e_context();
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemAllocHost((void **)&pinned, 4096));
    step(3, 5); /* skipped */
    step(1, 2);
    upload(32);
    upload(32);
    for (int i = 0; i < 4; i++)
        OK(cuCtxSynchronize());
    capture();
    REQUIRE(cuMemcpyDtoH(pinned, 0, 4096) != CUDA_SUCCESS);
    nvtxRangePushA("iteration");
    upload(32);
    upload(32);
    upload(32);
    for (int i = 0; i < 4; i++)
        OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(pinned, device, 64));
    nvtxRangePop();
    OK(cuMemcpyDtoH(pinned, device, 65));
    OK(cuMemcpyDtoH(pinned, device, 66));
    memset(pageable, 200, sizeof pageable);
    OK(cuMemcpyHtoD(device, pageable, 1024));
    OK(cuMemcpyHtoD(device + 1024, pageable, sizeof pageable));
    puts("data ok");
    return 0;
}
