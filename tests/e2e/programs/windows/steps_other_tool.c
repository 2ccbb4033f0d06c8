/* XFERSPY_STEP where NVTX_INJECTION64_PATH names another tool: NVTX tells its ranges to that one, and the line at the
 * end says so.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=/another/tool.so XFERSPY_STEP=step
 * notices: 2
 * stdout: data ok
 *
 * $ grep -o 'XFERSPY_STEP); NVTX.*' $stderr
 * XFERSPY_STEP); NVTX_INJECTION64_PATH names another library, to which NVTX tells its ranges instead
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    asked_begin();
    nvtxRangePushA("step");
    asked_work(1);
    nvtxRangePop();
    return asked_end();
}
