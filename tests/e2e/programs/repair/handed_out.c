/* Memory that is handed to another process by IPC: from then on another process may write device memory without a call
 * that anybody here sees, so contents are not compared any more, nothing is gathered, and that memory is really freed.
 *
 * link: cuda
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads,stay-on-device,gather,keep-allocations XFERSPY_REPAIR_LOG=$dir/repair.json
 * traces: 0
 * notices: 4
 * stdout: data ok
 *
 * These are the refusals before that, and those for memory that nobody else has, after that:
 * $ grep -o '"name":"[^{]*"applied":[0-9]*' $dir/repair.json | sed 's/"name"://; s/"applied"://'
 * "drop-uploads",1
 * "stay-on-device",0
 * "gather",16
 * "keep-allocations",1
 *
 * After that, the numbers of each repair:
 * $ grep -o '"memory was handed[a-z ]*":[0-9]*' $dir/repair.json
 * "memory was handed to others":20
 * "memory was handed to others":20
 * "memory was handed out":16
 * "memory was handed out":1
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { BYTES = 2 << 20, SMALL = 16, SMALL_BYTES = 500 };

static unsigned char source[BYTES], target[BYTES];

static void upload(CUdeviceptr device, unsigned seed) {
    e2e_fill(source, BYTES, seed);
    OK(cuMemcpyHtoD(device, source, BYTES));
    memset(source, 0xaa, BYTES);
    OK(cuMemcpyDtoH(target, device, BYTES));
    e2e_expect(target, BYTES, seed);
}

static void upload_small(CUdeviceptr device, unsigned seed) {
    for (unsigned i = 0; i < SMALL; i++) {
        e2e_fill(source, SMALL_BYTES, seed + i);
        OK(cuMemcpyHtoD(device + i * SMALL_BYTES, source, SMALL_BYTES));
    }
    for (unsigned i = 0; i < SMALL; i++) {
        OK(cuMemcpyDtoH(target, device + i * SMALL_BYTES, SMALL_BYTES));
        e2e_expect(target, SMALL_BYTES, seed + i);
    }
}

int main(void) {
    CUdeviceptr kept, handed;
    CUipcMemHandle handle;
    CUresult result;
    e2e_context();
    OK(cuMemAlloc(&kept, BYTES));
    OK(cuMemAlloc(&handed, BYTES));
    upload(kept, 1);
    upload(kept, 1);        /* left out */
    upload_small(kept, 10); /* gathered */
    result = cuIpcGetMemHandle(&handle, handed);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        return E2E_SKIP;
    OK(result);
    upload(kept, 2);
    upload(kept, 2);
    upload_small(kept, 30);
    OK(cuMemFree(handed));
    OK(cuMemAlloc(&handed, BYTES));
    upload(handed, 3);
    OK(cuMemFree(kept)); /* which nobody else has */
    OK(cuMemAlloc(&kept, BYTES));
    upload(kept, 4);
    OK(cuMemFree(kept));
    OK(cuMemFree(handed));
    puts("data ok");
    return 0;
}
