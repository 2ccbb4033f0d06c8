/* Functions of CUDA 13.2 that are recorded beside the copies with attributes: a host function with a way to wait, and a
 * stream that captures into a graphics interface's command list. What is captured there runs without a call that
 * anybody sees, so from its begin on nothing is known of what device memory holds.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * > SELECT e.name, k.name, count(*) FROM launch l JOIN entry_point e ON e.id = l.entry_point
 * > JOIN launch_kind k ON k.id = l.kind GROUP BY 1, 2
 * cuLaunchHostFunc_v2|host function|1
 *
 * > SELECT e.name, a.result, a.argument FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > WHERE e.name LIKE '%ToCig' OR e.name = 'cuUnknownFunction' ORDER BY a.id
 * cuStreamBeginCaptureToCig|1|0
 * cuStreamBeginCaptureToCig|0|0
 * cuUnknownFunction|0|2
 * cuStreamEndCaptureToCig|0|0
 *
 * > SELECT is_captured, count(*) FROM transfer GROUP BY 1
 * 0|3
 * 1|1
 *
 * The second upload is known to bring what the first one brought, by what was measured; the third one's contents were
 * the same, too, but something else may have written in between what was measured and the copy.
 * > SELECT f.content IS f.before FROM fingerprints f JOIN transfer t ON t.id = f.transfer WHERE t.is_captured = 0
 * > ORDER BY t.id
 * 0
 * 1
 * 1
 */
#include <cuda.h>

#include "../check.h"

typedef CUresult (*launch_host)(CUstream, CUhostFn, void *, unsigned);
typedef CUresult (*begin_capture)(CUstream, void *);
typedef CUresult (*end_capture)(CUstream);

static void *find(const char *name) {
    void *function = NULL;
    OK(cuGetProcAddress(name, &function, 13020, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    REQUIRE(function != NULL);
    return function;
}

static void count_up(void *counter) { ++*(int *)counter; }

int main(void) {
    enum { BYTES = 256 << 10 };
    unsigned char *pinned;
    CUdeviceptr device;
    CUstream stream;
    launch_host launch;
    begin_capture begin;
    end_capture end;
    int counter = 0, list = 0;

    e2e_context();
    *(void **)&launch = find("cuLaunchHostFunc");
    *(void **)&begin = find("cuStreamBeginCaptureToCig");
    *(void **)&end = find("cuStreamEndCaptureToCig");
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    e2e_fill(pinned, BYTES, 1);
    for (int i = 0; i < 2; i++)
        OK(cuMemcpyHtoDAsync(device, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));
    OK(launch(stream, count_up, &counter, 1));
    OK(cuStreamSynchronize(stream));
    REQUIRE(counter == 1);

    REQUIRE(begin(stream, NULL) == CUDA_ERROR_INVALID_VALUE);
    OK(begin(stream, &list));
    OK(cuMemcpyHtoDAsync(device, pinned, BYTES, stream));
    OK(end(stream));
    OK(cuMemcpyHtoDAsync(device, pinned, BYTES, stream));
    OK(cuStreamSynchronize(stream));

    OK(cuStreamDestroy(stream));
    OK(cuMemFree(device));
    OK(cuMemFreeHost(pinned));
    puts("data ok");
    return 0;
}
