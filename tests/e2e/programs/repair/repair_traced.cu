/* Repairs while the program is traced: the trace has what the program asked for, and contents as they are.
 *
 * env: XFERSPY_REPAIR=drop-uploads,stay-on-device XFERSPY_FINGERPRINT=all XFERSPY_CUPTI=off
 * notices: 3
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), count(DISTINCT content) FROM fingerprints GROUP BY 1 ORDER BY 1
 * d2h|2|2097152|1
 * h2d|3|3145728|1
 *
 * And what the repairs did:
 * > SELECT key, value FROM meta WHERE key LIKE 'repair.%' ORDER BY key
 * repair.drop-uploads.bytes|1048576
 * repair.drop-uploads.made|1
 * repair.on|2
 * repair.stay-on-device.bytes|1048576
 * repair.stay-on-device.made|1
 *
 * $ grep -c ': 1 uploads' $stderr
 * 2
 */
#include "uploads.h"

enum { BYTES = 1 << 20 };

int main() {
    unsigned char *x = case_device(BYTES), *y = case_device(BYTES);
    unsigned char *pageable = repair_pageable(BYTES, 1);
    case_up(x, pageable, BYTES);
    case_up(x, pageable, BYTES); // left out
    case_up(y, pageable, BYTES); // from x
    repair_expect(x, BYTES, 1);
    repair_expect(y, BYTES, 1);
    puts("data ok");
    return 0;
}
