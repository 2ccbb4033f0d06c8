/* Makes the first pass of the model, which reads the recorded work and its calls. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_LEARN_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_LEARN_H

#include "analyzer/trace/modelled/learned.h"
#include "analyzer/trace/windows/device_windows.h"

/* The largest difference between the clocks of host and device that the model allows for. */
#define XS_MODELLED_CLOCKS_NS 1500

/* The rows of a call, combined into one piece of work. */
struct xs_work {
    int64_t start_ns, end_ns, sum_ns;
    uint64_t bytes;
};

/* Combines the rows of a call. False: a row has no times. */
bool xs_work_of(const struct xs_recorded *first, size_t rows, struct xs_work *work);

/* Fills `learned`. For each call in the trace that has recorded rows, sets `taken` in the first of these rows. The
 * caller must have set the link model, the streams and the devices of `learned`. Negative status: the message is
 * set. */
int xs_learn(struct xs_learned *learned, struct xs_recordings *recordings, struct xs_modelled_tables *tables,
             const struct xs_device_windows *windows, const struct xs_trace *trace, char *message);

#endif
