/* XFERSPY_STEP where the range never comes as often as steps are to be skipped: the line says how often it came. A
 * XFERSPY_WINDOW beside the steps is ignored, and another line says that.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=epoch XFERSPY_SKIP_STEPS=5 XFERSPY_WINDOW=0s..60min
 * notices: 3
 * stdout: data ok
 *
 * $ grep -c 'no step was recorded: 3 NVTX ranges "epoch" came, and 5 of them are skipped' $stderr
 * 1
 * $ grep -c 'XFERSPY_WINDOW is ignored, because steps are asked for' $stderr
 * 1
 *
 * > SELECT count(*) FROM launch
 * 0
 *
 * $ "$xferspy" report $traces | grep -c 'the NVTX range "epoch" came 3 times, and 5 steps were to be skipped'
 * 1
 *
 * !
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    asked_begin();
    for (int i = 0; i < 3; i++) {
        nvtxRangePushA("epoch");
        asked_work(1);
        nvtxRangePop();
    }
    return asked_end();
}
