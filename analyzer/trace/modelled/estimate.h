/* Estimates how far a sum with a modelled part may be off. The measure is how wrong the model would have been inside
 * the windows, where the true times are known. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_ESTIMATE_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_ESTIMATE_H

#include "analyzer/trace/modelled/modelled_place.h"
#include "analyzer/trace/windows/device_windows.h"

/* Computes the ratio of two sums over parts of a run, and its error. The error is found by leaving out one part after
 * the other (the jackknife), which uses no random numbers. False: there are too few parts. */
struct xs_ratio {
    double ratio, error; /* error: two standard errors, about 95 % */
};
bool xs_ratio_of(const double *above, const double *below, size_t count, struct xs_ratio *ratio);

/* Sets the intervals of the sums in `windows`, and that of the overlap of copies and kernels. */
void xs_estimate(struct xs_device_windows *windows, const struct xs_parts *parts,
                 const struct xs_modelled_tables *tables);

#endif
