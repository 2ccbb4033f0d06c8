/* Without fingerprints there are no contents, there is one reason, and none of xferspy's kernels runs.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=off
 * stdout: data ok
 *
 * > SELECT missing, count(*), count(content) FROM fingerprints GROUP BY 1
 * fingerprints are off|16|0
 *
 * > SELECT (SELECT count(*) FROM fingerprint), (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM launch)
 * 0|0|0
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'cost.fingerprint%' AND value <> 0
 */
#include "fingerprint_modes.h"
