/* XFERSPY_STEP, XFERSPY_SKIP_STEPS and XFERSPY_STEPS: of ten NVTX ranges the third to the fifth are recorded, with what
 * lies between them, and outside of them allocations alone.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_STEP=step XFERSPY_SKIP_STEPS=2 XFERSPY_STEPS=3
 * stdout: data ok
 *
 * The grid of a step's kernels is its number; between the third step and the fourth, and these two and the fifth:
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 3|10
 * 4|10
 * 5|10
 * 100|20
 *
 * > SELECT count(*), sum(bytes) FROM transfer
 * 3|192
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'range.left_out_transfers' OR key = 'range.count'
 * > OR key LIKE 'range.steps%' ORDER BY key
 * range.count|1
 * range.left_out_transfers|8
 * range.steps|3
 * range.steps_by|range
 * range.steps_first|3
 * range.steps_passed|10
 *
 * > SELECT count(*), sum(free_enter_ns IS NOT NULL) FROM allocation WHERE bytes = 128
 * 10|10
 *
 * > SELECT value GLOB '[1-9]*+*,*+*,*+*' AND value NOT LIKE '%,%,%,%' FROM meta WHERE key = 'range.step_times'
 * 1
 *
 * $ "$xferspy" report $traces | grep -o 'Looked at .* of .*, in steps 3 to 5, by the NVTX range "step"'| grep -o 'steps.*'
 * steps 3 to 5, by the NVTX range "step"
 *
 * !
 * repeated-allocation|9|0|1152
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    unsigned char bytes[64];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    asked_begin();
    OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
    for (unsigned i = 1; i <= 10; i++) {
        CUdeviceptr memory;
        OK(cuMemAlloc(&memory, 128));
        nvtxRangePushA("step");
        nvtxRangePushA("upload");
        bytes[0] = (unsigned char)(100 + i);
        OK(cuMemcpyHtoD(asked_memory, bytes, sizeof bytes));
        nvtxRangePop();
        asked_work(i);
        nvtxRangePop();
        asked_work(100);
        OK(cuMemFree(memory));
    }
    return asked_end();
}
