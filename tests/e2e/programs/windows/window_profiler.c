/* XFERSPY_WINDOW=profiler: device times from cudaProfilerStart to cudaProfilerStop, by the runtime and by the driver.
 *
 * link: cuda cudart
 * only: no-repairs cupti
 * env: XFERSPY_WINDOW=profiler XFERSPY_OUTSIDE=calls
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 1|10
 * 2|10
 * 3|10
 * 4|10
 * 5|10
 *
 * > SELECT grid_x, count(*) FROM device_kernel GROUP BY grid_x ORDER BY grid_x
 * 2|10
 * 4|10
 */
#include "asked.h"

/* Of cudaProfiler.h and cuda_profiler_api.h, which are a package of their own. */
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
int cudaProfilerStart(void);
int cudaProfilerStop(void);

int main(void) {
    asked_begin();
    OK(cuProfilerStop()); /* of nothing */
    asked_work(1);
    OK(cudaProfilerStart());
    OK(cudaProfilerStart()); /* they do not nest */
    asked_await(true);
    asked_work(2);
    OK(cudaProfilerStop());
    asked_await(false);
    asked_work(3);
    OK(cuProfilerStart());
    asked_await(true);
    asked_work(4);
    OK(cuProfilerStop());
    asked_await(false);
    asked_work(5);
    return asked_end();
}
