/* XFERSPY_STEP names a range that never comes. The line says that, and not how many were skipped.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=epoch
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c 'no step was recorded: no NVTX range "epoch" came (--step, XFERSPY_STEP)' $stderr
 * 1
 *
 * $ "$xferspy" report $traces | grep -c 'Nothing was recorded but allocations: no NVTX range "epoch" came\.'
 * 1
 */
#include "asked.h"

int main(void) {
    asked_begin();
    asked_work(1);
    return asked_end();
}
