/* Tests what is not kept, what is not served from kept memory, and the errors of calls, which are the same as without a
 * repair.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_REPAIR=keep-allocations XFERSPY_REPAIR_LOG=$dir/repair.json XFERSPY_REPAIR_MIB=16
 * stdout: free 0, again 1
 * stdout: of an address inside 1
 * stdout: in a capture: allocate 900, end 901
 * stdout: in a capture: free 900, end 901
 * stdout: in a relaxed capture: allocate 0, free 0, end 0
 * stdout: without a context: free 201
 * stdout: data ok
 * notices: 2
 *
 * Kept memory serves the allocations after the double free and in the relaxed capture, and the last two of 2 MiB.
 * $ grep -o '"name":[^}]*}' $dir/repair.json
 * "name":"keep-allocations","applied":4,"bytes":8388608,"wrong":0,"refused":{"the driver refused the wait":1,"freed in another context":1,"memory was handed out":2,"larger than the budget":2}
 */
#include <cuda.h>

#include "../check.h"

static const size_t BYTES = 2 << 20;

static CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr p;
    OK(cuMemAlloc(&p, bytes));
    return p;
}

static void capture_it(CUstream stream, CUdeviceptr p) {
    CUdeviceptr other;
    CUgraph graph = NULL;
    int result[2];
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    result[0] = (int)cuMemAlloc(&other, BYTES);
    result[1] = (int)cuStreamEndCapture(stream, &graph);
    printf("in a capture: allocate %d, end %d\n", result[0], result[1]);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    result[0] = (int)cuMemFree(p);
    result[1] = (int)cuStreamEndCapture(stream, &graph);
    printf("in a capture: free %d, end %d\n", result[0], result[1]);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    result[0] = (int)cuMemAlloc(&other, BYTES);
    result[1] = (int)cuMemFree(other);
    printf("in a relaxed capture: allocate %d, free %d", result[0], result[1]);
    OK(cuMemcpyHtoDAsync(p, &stream, sizeof stream, stream));
    printf(", end %d\n", (int)cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
}

int main(void) {
    CUcontext context = e2e_context();
    CUipcMemHandle handle;
    CUstream stream;
    CUdeviceptr p = allocate(BYTES), q;
    const unsigned on = 1;
    OK(cuMemFree(p));
    printf("free 0, again %d\n", (int)cuMemFree(p));
    p = allocate(BYTES);
    printf("of an address inside %d\n", (int)cuMemFree(p + 512));

    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    q = allocate(BYTES);
    OK(cuMemFree(q));
    capture_it(stream, p);

    OK(cuCtxSetCurrent(NULL));
    printf("without a context: free %d\n", (int)cuMemFree(p));
    OK(cuCtxSetCurrent(context));
    OK(cuMemFree(p));

    p = allocate(BYTES);
    OK(cuIpcGetMemHandle(&handle, p + 4096));
    OK(cuMemFree(p));
    p = allocate(BYTES);
    OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    OK(cuMemFree(p));
    p = allocate(17 << 20);
    OK(cuMemFree(p));
    p = allocate(17 << 20);
    OK(cuMemFree(p));
    puts("data ok");
    return 0;
}
