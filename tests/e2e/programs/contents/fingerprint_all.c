/* With fingerprints of all copies, every upload is read on the device, together with the bytes that it overwrites. A
 * download is read on the device or on the host, whichever is cheaper.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Each content is shown as the first transfer with the same content, whether it was read on the host or on the device:
 * > SELECT transfer, direction, bytes, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.content), before IS NOT NULL,
 * >   changed_leaves IS NOT NULL, taken_on, leaves, constant_value, missing FROM fingerprints f ORDER BY transfer
 * 1|h2d|8292|1|1|1|device|3||
 * 2|h2d|8292|1|1|1|device|3||
 * 3|h2d|8292|1|1|1|device|3||
 * 4|h2d|8292|1|1|1|device|3||
 * 5|h2d|200000|5|1|1|device|49||
 * 6|h2d|200000|5|1|1|device|49||
 * 7|d2h|8292|1|0|0|host|3||
 * 8|d2h|8292|1|0|0|host|3||
 * 9|d2h|8292|1|0|0|host|3||
 * 10|d2h|8292|1|0|0|device|3||
 * 11|d2h|200000|5|0|0|device|49||
 * 12|d2h|200000|5|0|0|device|49||
 * 13|d2h|8292|13|0|0|host|3|16909060|
 * 14|d2h|8292|13|0|0|device|3|16909060|
 * 15|h2d|0||0|0||||nothing was moved
 * 16|d2d|8292||0|0||||neither upload nor download
 *
 * The trace has none of xferspy's own operations, and no fingerprint without a transfer:
 * needs: cupti
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM launch), (SELECT count(*) FROM device_memset),
 * >   (SELECT count(*) FROM fingerprint), (SELECT count(*) FROM fingerprint WHERE id NOT IN (SELECT fingerprint
 * > FROM transfer
 * >   WHERE fingerprint IS NOT NULL))
 * 0|0|2|14|0
 *
 * needs: cupti
 * > SELECT host_transfers, device_copies, matched, without_record, without_event, kind_mismatch FROM coverage
 * 16|15|15|0|0|0
 *
 * There were 16 launches: one before and one after each of six uploads, and one for each of four downloads:
 * > SELECT value FROM meta WHERE key = 'cost.fingerprint_launches'
 * 16
 */
#include "fingerprint_modes.h"
