/* XFERSPY_STEP and XFERSPY_STEPS where the two ranges that are asked for end before the first CUDA call: nothing but
 * allocations is recorded, and one line and the report say why.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=step XFERSPY_STEPS=2
 * notices: 2
 * stdout: data ok
 *
 * $ grep -o 'no step was recorded.*' $stderr
 * no step was recorded: 4 NVTX ranges "step" came, and 0 of them are skipped (--step, XFERSPY_STEP); the first CUDA call came after the others
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'range.step%' ORDER BY key
 * range.steps|0
 * range.steps_by|range
 * range.steps_first|0
 * range.steps_passed|4
 *
 * $ "$xferspy" report $traces | tr -s ' \n' ' ' | grep -o 'skipped; the others ended before the first CUDA call'
 * skipped; the others ended before the first CUDA call
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    for (int i = 0; i < 3; i++) {
        nvtxRangePushA("step");
        nvtxRangePop();
    }
    asked_begin();
    nvtxRangePushA("step");
    asked_work(1);
    nvtxRangePop();
    return asked_end();
}
