/* XFERSPY_STEP with a # for the number in the ranges' names: twelve ranges of twelve names, between which nothing is
 * called. The trace says when each began.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=step_#_of_# XFERSPY_SKIP_STEPS=2 XFERSPY_STEPS=8
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x HAVING grid_x IN (2, 3, 10, 11) ORDER BY grid_x
 * 3|10
 * 10|10
 *
 * > SELECT (SELECT count(*) FROM transfer), (SELECT group_concat(name) FROM nvtx_range)
 * 8|step_#_of_#
 *
 * > SELECT length(value) - length(replace(value, '+', '')) FROM meta WHERE key = 'range.step_times'
 * 8
 */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

#include "asked.h"

int main(void) {
    unsigned char bytes[64] = {0};
    asked_begin();
    for (unsigned i = 1; i <= 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "step_%u_of_12", i);
        nvtxRangePushA(name);
        bytes[0] = (unsigned char)i;
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        asked_work(i);
        nvtxRangePop();
    }
    return asked_end();
}
