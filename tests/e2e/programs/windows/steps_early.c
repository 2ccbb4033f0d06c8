/* XFERSPY_STEP where the first CUDA call is inside of the third range: the first two are not recorded, and the
 * trace has a time for each of the others.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=step
 * stdout: data ok
 *
 * > SELECT key, value FROM meta WHERE key IN ('range.steps_first', 'range.steps') ORDER BY key
 * range.steps|18
 * range.steps_first|3
 *
 * > SELECT length(value) - length(replace(value, '+', '')) FROM meta WHERE key = 'range.step_times'
 * 18
 *
 * $ "$xferspy" report $traces | tr -s ' \n' ' ' | grep -o 'Each step begins with the NVTX range "step"'
 * Each step begins with the NVTX range "step"
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    unsigned char bytes[64] = {0};
    for (unsigned i = 1; i <= 20; i++) {
        nvtxRangePushA("step");
        if (i == 3)
            asked_begin();
        if (i >= 3) {
            bytes[0] = (unsigned char)i;
            OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
            OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes - 1));
        }
        nvtxRangePop();
    }
    return asked_end();
}
