/* XFERSPY_STEPS in a program whose waits come at no regular distance: nothing but allocations is recorded, and one line
 * says so, and what to do.
 *
 * link: cuda
 * env: XFERSPY_SKIP_STEPS=2 XFERSPY_STEPS=4
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c 'no step was recorded: of 30 waits none came regularly (the most frequent is cuCtxSynchronize, which returned 30 times to one place); give the name of an NVTX range (--step=NAME' $stderr
 * 1
 * $ grep -c 'record the whole run: `xferspy report --skip-steps=2 --steps=4 TRACE' $stderr
 * 1
 *
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM sync), (SELECT count(*) FROM allocation)
 * 0|0|1
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'range.steps%' OR key = 'range.left_out_transfers' ORDER BY key
 * range.left_out_transfers|30
 * range.steps|0
 * range.steps_by|none
 * range.steps_first|0
 * range.steps_passed|0
 *
 * $ "$xferspy" report $traces | grep -c 'Nothing was recorded but allocations: no wait came regularly'
 * 1
 */
#include "asked.h"

int main(void) {
    unsigned char bytes[64] = {0};
    asked_begin();
    for (int i = 0; i < 30; i++) {
        const struct timespec pause = {0, i % 3 == 0 ? 60000000 : 1000000};
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        nanosleep(&pause, NULL);
        OK(cuCtxSynchronize());
    }
    return asked_end();
}
