/* Finds out up to which time a live trace has all device times, and how busy the devices were up to that time. CUPTI
 * delivers device times late and in large batches. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TOP_DEVICE_TIMES_H
#define XFERSPY_ANALYZER_COMMANDS_TOP_DEVICE_TIMES_H

#include "analyzer/totals/summary/summary.h"

struct xs_device_times {
    uint64_t known_ns;           /* ns since the start up to which all device times are known; if none is late, the
                                    present end of the run */
    bool late;                   /* calls after known_ns started work whose times are not known yet */
    uint64_t copy_ns, kernel_ns; /* over all devices, between `from_ns` and known_ns */
};

/* `from_ns` is the known_ns that the previous call returned; 0 at the first call. Negative status: the message is set.
 */
int xs_device_times_read(const struct xs_summary *summary, uint64_t from_ns, struct xs_device_times *times,
                         char *message);

#endif
