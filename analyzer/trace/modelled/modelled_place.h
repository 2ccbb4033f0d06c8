/* Makes the second pass of the model, over all calls. Recorded work keeps its times; all other work gets modelled
 * times. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_PLACE_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_PLACE_H

#include "analyzer/trace/modelled/learned.h"
#include "analyzer/trace/windows/device_windows.h"

/* Measured and modelled times of recorded work. The windows are divided into parts, and each part has its own sums. */
struct xs_parts {
    double (*measured)[XS_SUM_COUNT], (*expected)[XS_SUM_COUNT];
    size_t count;
    unsigned in_window; /* number of parts into which each window is divided; more than 1 if there are few windows */
};

struct xs_placed {
    struct xs_modelled_tables *tables;
    struct xs_parts parts;
};

/* Gives all work its times, and sets in `windows` the numbers of the calls, the bits for modelled calls, and the
 * counts. Negative status: the message is set. */
int xs_place_work(struct xs_placed *placed, const struct xs_learned *learned, struct xs_recordings *recordings,
                  const struct xs_trace *trace, struct xs_device_windows *windows, char *message);

/* Returns the part of the windows that contains the time `ns`; -1: no window contains it. */
int64_t xs_part_at(const struct xs_parts *parts, const struct xs_device_windows *windows, int64_t ns);

#endif
