/* XFERSPY_OUTSIDE=allocations is given, but the whole run is requested, so everything is recorded.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=..60min XFERSPY_OUTSIDE=allocations
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*) FROM sync), (SELECT count(*) FROM device_kernel)
 * 10|1|10
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'range.%' AND key NOT IN ('range.windows', 'range.recorded_ns')
 * > ORDER BY key
 * range.count|1
 * range.left_out_launches|0
 * range.left_out_memsets|0
 * range.left_out_others|0
 * range.left_out_transfers|0
 */
#include "asked.h"

int main(void) {
    asked_begin();
    asked_work(1);
    return asked_end();
}
