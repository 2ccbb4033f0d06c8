/* With XFERSPY_CUPTI=off the host's side is complete, the device's side is empty, and the trace says why.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=off
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), count(device_ns) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096|0
 * h2d|1|4096|0
 *
 * > SELECT count(*) FROM device_copy
 * 0
 *
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * off
 */
#include "../one_copy.h"
