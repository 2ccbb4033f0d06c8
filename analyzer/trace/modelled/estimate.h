/* How far sums may be off of which a part is modelled: by how much the model would have been wrong in the windows,
 * where it is known what there was. */
#ifndef XFERSPY_ANALYZER_MODELLED_ESTIMATE_H
#define XFERSPY_ANALYZER_MODELLED_ESTIMATE_H

#include "analyzer/trace/modelled/place.h"
#include "analyzer/trace/windows/device_windows.h"

/* A ratio of two sums over parts of a run, and how far it may be off: by leaving out one part after the other (the
 * jackknife). No chance is in it. False: there are too few parts. */
struct xs_ratio {
    double ratio, error; /* error: two standard errors, about 95 % */
};
bool xs_ratio_of(const double *above, const double *below, size_t count, struct xs_ratio *ratio);

/* Sets the intervals of the sums and of the overlap. */
void xs_estimate(struct xs_device_windows *windows, const struct xs_parts *parts,
                 const struct xs_modelled_tables *tables);

#endif
