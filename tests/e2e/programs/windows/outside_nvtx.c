/* By default, only allocations and frees are recorded outside of the requested ranges. Copies, memsets and launches are
 * counted. Nothing is concluded about contents across the edge of a range: what was uploaded in the first range is
 * uploaded again in the second, but in between a kernel ran that the trace does not have.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_WINDOW=nvtx:step
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 2|10
 * 4|10
 *
 * These are the copies of the two ranges. Both sides of each are known:
 * > SELECT bytes, direction, dst_allocation IS NOT NULL OR direction <> 1, count(*) FROM transfer
 * > GROUP BY 1, 2, 3 ORDER BY 1, 2
 * 64|1|1|2
 * 96|1|1|2
 *
 * > SELECT (SELECT count(*) FROM memset), (SELECT count(*) FROM device_memset)
 * 0|0
 *
 * Memory that was allocated and freed outside:
 * > SELECT bytes, free_enter_ns IS NOT NULL FROM allocation WHERE bytes > 64 ORDER BY bytes
 * 96|1
 * 128|1
 *
 * > SELECT key, value FROM meta WHERE key IN ('range.count', 'range.left_out_launches', 'range.left_out_memsets',
 * > 'range.left_out_transfers') ORDER BY key
 * range.count|2
 * range.left_out_launches|30
 * range.left_out_memsets|1
 * range.left_out_transfers|3
 *
 * > SELECT value GLOB '[1-9]*+*,*+*' AND value NOT LIKE '%,%,%' FROM meta WHERE key = 'range.windows'
 * 1
 *
 * What CUPTI recorded until it was detached is not in the trace either:
 * > SELECT (SELECT count(*) FROM device_kernel WHERE grid_x NOT IN (2, 4)),
 * > (SELECT count(*) FROM device_copy WHERE correlation NOT IN (SELECT correlation FROM transfer))
 * 0|0
 *
 * !
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

static unsigned char bytes[96], more[64];

static void step(CUdeviceptr memory, unsigned grid) {
    nvtxRangePushA("step");
    OK(cuMemcpyHtoD(memory, bytes, sizeof bytes));
    OK(cuMemcpyHtoD(asked_memory, more, sizeof more));
    asked_work(grid);
    nvtxRangePop();
}

int main(void) {
    CUdeviceptr memory, other;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    for (unsigned i = 0; i < sizeof more; i++)
        more[i] = (unsigned char)(i * 11 + 5);
    asked_begin();
    OK(cuMemAlloc(&memory, sizeof bytes));
    OK(cuMemcpyHtoD(asked_memory, more, sizeof more));
    asked_work(1);
    step(memory, 2);
    OK(cuMemAlloc(&other, 128));
    OK(cuMemsetD8(other, 0, 128));
    asked_work(3);
    OK(cuMemcpyDtoH(bytes, memory, sizeof bytes));
    OK(cuMemFree(other));
    step(memory, 4);
    OK(cuMemcpyDtoH(more, asked_memory, sizeof more));
    asked_work(5);
    OK(cuMemFree(memory));
    return asked_end();
}
