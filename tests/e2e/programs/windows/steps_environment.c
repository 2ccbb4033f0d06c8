/* XFERSPY_STEP names a range that never comes, and the program removes NVTX_INJECTION64_PATH from its environment. The
 * line at the end depends on the environment with which the session began, because nothing may read the environment at
 * the end.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=epoch
 * notices: 2
 * stdout: data ok
 *
 * $ grep -o 'no step was recorded.*' $stderr
 * no step was recorded: no NVTX range "epoch" came (--step, XFERSPY_STEP)
 */
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>

#include "asked.h"

int main(void) {
    asked_begin();
    nvtxRangePushA("step");
    asked_work(1);
    nvtxRangePop();
    unsetenv("NVTX_INJECTION64_PATH");
    return asked_end();
}
