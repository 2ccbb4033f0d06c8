/* A libcupti that is not there: capture goes on without device times, and the trace says so.
 *
 * link: cuda
 * env: XFERSPY_CUPTI_LIBRARY=/no/such/libcupti.so
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), count(device_ns) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096|0
 * h2d|1|4096|0
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * not found
 */
#include "../one_copy.h"
