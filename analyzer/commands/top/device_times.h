/* How much of a live trace's device times is there, and how busy devices were up to then. CUPTI hands device times
 * over late and in large batches. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TOP_DEVICE_TIMES_H
#define XFERSPY_ANALYZER_COMMANDS_TOP_DEVICE_TIMES_H

#include "analyzer/totals/summary/summary.h"

struct xs_device_times {
    uint64_t known_ns;           /* since the start: up to here device times are complete; the end of the run so far
                                  * if none is late */
    bool late;                   /* calls after known_ns started work that has no times yet */
    uint64_t copy_ns, kernel_ns; /* of all devices, between `from_ns` and known_ns */
};

/* `from_ns`: known_ns of the last look, at first 0. Returns a status; sets `message` as xs_summary_compute does. */
int xs_device_times_read(const struct xs_summary *summary, uint64_t from_ns, struct xs_device_times *times,
                         char *message);

#endif
