/* Keeps a site's instances until there are enough of them to be reported. One slow call is no finding, but a call that
 * is slow in each iteration is. Memory use grows with the number of call sites, each with up to XS_REPEATS_KEPT
 * instances. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"

/* A site's instances are reported only if it has at least this many. If not even XS_REPEATS_KEPT instances are enough,
 * later ones only count. */
enum { XS_REPEATS_LEAST = 10, XS_REPEATS_KEPT = 32768 };

/* The instances of a finding about the host's time are reported only if those of the site together take at least one
 * part in this many of the run: to change what a program does is worth the work only then. */
enum { XS_REPEATS_RUN_SHARE = 20 };

struct xs_repeats {
    struct xs_hash sites; /* by site number */
    uint64_t least_ns;    /* the removable host time that a site's instances must have together */
};

/* Adds an instance to its site, and claims its removable time from `account`, now or when there are enough. */
void xs_repeats_add(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                    struct xs_account *account);

/* Adds an instance of a finding about the host's time. It is undecided if calls may be missing from the trace, because
 * their time would count as the program's, or if kernels were not recorded, because the device may have worked. */
void xs_repeats_add_host(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                         struct xs_account *account);

/* Releases the instances that were not reported. */
void xs_repeats_end(struct xs_repeats *repeats, struct xs_detection *detection);

#endif
