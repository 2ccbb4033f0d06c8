/* Fingerprints are taken as by default, except for the share of time. The host reads small contents when the call is
 * over, but then it is not known what an upload overwrote. The device reads the rest.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=auto XFERSPY_FINGERPRINT_SHARE=100
 * stdout: data ok
 *
 * Contents by the first transfer that had the same, host or device. A large blocking upload waits for its fingerprint
 * no longer than it took itself, so that it may have none on a busy machine: left out, as is where the two large
 * downloads were read.
 * > SELECT transfer, direction, bytes, (SELECT min(g.transfer) FROM fingerprints g
 * > WHERE g.content = f.content), before IS NOT NULL,
 * >   taken_on, leaves, constant_value, missing FROM fingerprints f WHERE transfer NOT IN (5, 6, 11, 12)
 * > ORDER BY transfer
 * 1|h2d|8292|1|0|host|3||
 * 2|h2d|8292|1|0|host|3||
 * 3|h2d|8292|1|0|host|3||
 * 4|h2d|8292|1|1|device|3||
 * 7|d2h|8292|1|0|host|3||
 * 8|d2h|8292|1|0|host|3||
 * 9|d2h|8292|1|0|host|3||
 * 10|d2h|8292|1|0|device|3||
 * 13|d2h|8292|13|0|host|3|16909060|
 * 14|d2h|8292|13|0|device|3|16909060|
 * 15|h2d|0||0||||nothing was moved
 * 16|d2d|8292||0||||neither upload nor download
 *
 * > SELECT transfer, direction, content = (SELECT content FROM fingerprints
 * > WHERE transfer = 12), before IS NOT NULL, taken_on, leaves
 * > FROM fingerprints WHERE transfer IN (6, 11, 12) ORDER BY transfer
 * 6|h2d|1|1|device|49
 * 11|d2h|1|0|device|49
 * 12|d2h|1|0|device|49
 *
 * > SELECT coalesce(missing, 'taken'), coalesce(content = (SELECT content FROM fingerprints WHERE transfer = 12), 1)
 * > FROM fingerprints
 * > WHERE transfer = 5 AND coalesce(missing, 'taken') NOT IN ('taken', 'the device was too busy to say in time')
 *
 * The trace has none of xferspy's own operations:
 * needs: cupti
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM launch), (SELECT count(*) FROM device_memset)
 * 0|0|2
 *
 * needs: cupti
 * > SELECT host_transfers, device_copies, matched, without_record, without_event, kind_mismatch FROM coverage
 * 16|15|15|0|0|0
 */
#include "fingerprint_modes.h"
