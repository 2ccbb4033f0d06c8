/* How far the device times of a trace go that is still written, and how busy devices were up to there: CUPTI hands them
 * over late, and many at once. */
#ifndef XFERSPY_ANALYZER_TOP_DEVICE_TIMES_H
#define XFERSPY_ANALYZER_TOP_DEVICE_TIMES_H

#include "analyzer/totals/summary/summary.h"

struct xs_device_times {
    uint64_t known_ns;           /* since the start: where nothing is late, the end of what is recorded */
    bool late;                   /* calls after it started work whose times are not there yet */
    uint64_t copy_ns, kernel_ns; /* of all devices together, between `from_ns` and known_ns */
};

/* `from_ns`: known_ns of the look before, 0 for the first one. Returns a status; `message` as xs_summary_compute. */
int xs_device_times_read(const struct xs_summary *summary, uint64_t from_ns, struct xs_device_times *times,
                         char *message);

#endif
