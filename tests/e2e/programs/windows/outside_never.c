/* XFERSPY_OUTSIDE=allocations is given, and the requested part of the run never comes. Only allocations are recorded,
 * and the trace says so.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=60min.. XFERSPY_OUTSIDE=allocations
 * notices: 2
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*) FROM sync), (SELECT count(*) FROM device_kernel)
 * 0|0|0
 *
 * > SELECT count(*), sum(free_enter_ns IS NOT NULL) FROM allocation
 * 1|1
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'range.%' ORDER BY key
 * range.count|0
 * range.left_out_launches|20
 * range.left_out_memsets|0
 * range.left_out_others|2
 * range.left_out_transfers|0
 * range.recorded_ns|0
 * range.windows|0+0
 *
 * $ grep -c 'nothing was recorded but allocations: the program ended before 60min.. (XFERSPY_WINDOW)' $stderr
 * 1
 * $ "$xferspy" report $traces | grep -c 'Nothing was recorded but allocations: the program ended before 60min.. '
 * 1
 *
 * !
 */
#include "asked.h"

int main(void) {
    asked_begin();
    asked_work(1);
    asked_work(2);
    return asked_end();
}
