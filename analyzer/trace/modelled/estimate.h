/* Estimates the error of a sum that has a modelled part. The estimate is based on the error that the model has inside
 * the windows, where the true times are known. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_ESTIMATE_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_ESTIMATE_H

#include "analyzer/trace/modelled/modelled_place.h"
#include "analyzer/trace/windows/device_windows.h"

/* Computes the ratio of two sums, and the error of the ratio. above[i] and below[i] are what part i of the run adds to
 * the two sums. The error is computed by the jackknife, which leaves out one part after the other and uses no random
 * numbers. False: there are too few parts. */
struct xs_ratio {
    double ratio, error; /* error: two standard errors, so the confidence is about 95 % */
};
bool xs_ratio_of(const double *above, const double *below, size_t count, struct xs_ratio *ratio);

/* Sets, in `windows`, the intervals of the sums, and the interval of the overlap of copies and kernels. */
void xs_estimate(struct xs_device_windows *windows, const struct xs_parts *parts,
                 const struct xs_modelled_tables *tables);

#endif
