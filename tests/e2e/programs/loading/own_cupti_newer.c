/* A program that uses CUPTI by the global functions, with a CUPTI of CUDA 13.3: that one refuses them while xferspy is
 * subscribed by those of subscribers that share it. So xferspy steps aside, as it does with an older CUPTI.
 *
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: own records: 3 copies, 3072 bytes
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2|2048
 * h2d|4|4096
 *
 * The copies before are matched, those of the program's own profiling are not:
 * needs: cupti
 * > SELECT count(*), sum(device_ns > 0) FROM transfers WHERE id <= 2
 * 2|2
 *
 * > SELECT count(*), count(device_ns) FROM transfers WHERE id BETWEEN 3 AND 5
 * 3|0
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * stepped aside
 */
#include "own_cupti.c"
