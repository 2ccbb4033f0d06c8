/* The user gave NVTX to another tool, which keeps it: the ranges are not in the trace, but everything else is.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=/another/tool.so
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(nvtx_range) FROM transfer), (SELECT count(*) FROM nvtx_range)
 * 1|0|0
 */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>

#include "../check.h"

int main(void) {
    unsigned char host[64];
    CUdeviceptr device;
    e2e_fill(host, sizeof host, 1);
    REQUIRE(nvtxRangePushA("another tool's") == NVTX_NO_PUSH_POP_TRACKING);
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemFree(device));
    nvtxRangePop();
    puts("data ok");
    return 0;
}
