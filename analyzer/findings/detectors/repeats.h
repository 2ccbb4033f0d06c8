/* Keeps a site's first instances until there are enough of them to be reported. One slow call is no finding, but a call
 * that is slow in each iteration is. Memory use grows with the number of call sites. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"

/* A site's instances are reported only if it has at least this many. */
enum { XS_REPEATS_LEAST = 10 };

struct xs_repeats {
    struct xs_hash sites; /* by site number */
};

/* Adds an instance to its site, and claims its removable time from `account`, now or when there are enough. */
void xs_repeats_add(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                    struct xs_account *account);

/* Releases the instances that were not reported. */
void xs_repeats_end(struct xs_repeats *repeats, struct xs_detection *detection);

#endif
