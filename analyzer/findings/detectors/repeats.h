/* Keeps a site's instances until there are enough of them to be reported. One slow call is no finding, but a call that
 * is slow in each iteration is. Memory use grows with the number of call sites, each with up to XS_REPEATS_KEPT
 * instances. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"

/* A site's instances are reported only if it has at least this many. Three are enough for a loop of few long steps,
 * where the time of a finding is looked at, too. If not even XS_REPEATS_KEPT instances are enough, later ones only
 * count. */
enum { XS_REPEATS_LEAST = 10, XS_REPEATS_LEAST_LONG = 3, XS_REPEATS_KEPT = 32768 };

/* A finding about the host's time is reported only if a site's instances together take at least 1 /
 * XS_REPEATS_RUN_SHARE of the run. Less is not worth the work of changing the program. */
enum { XS_REPEATS_RUN_SHARE = 20 };

/* A step may spend its time in several lines. Then all sites together must take 1 / XS_REPEATS_RUN_SHARE of the run
 * (xs_repeats_finish), and each site at least 1 / XS_REPEATS_SITE_SHARE. */
enum { XS_REPEATS_SITE_SHARE = 200 };

struct xs_repeats {
    struct xs_hash sites; /* by site number */
    uint64_t least;       /* the number of instances that a site must have; 0: XS_REPEATS_LEAST */
    uint64_t least_ns;    /* the removable host time that a site's instances must have together */
    uint64_t ns;          /* removable host time of all instances so far */
};

/* Adds an instance to its site, and claims its removable time from `account`, now or when there are enough. */
void xs_repeats_add(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                    struct xs_account *account);

/* Adds an instance of a finding about the host's time. It is undecided if calls may be missing from the trace, because
 * their time would count as the program's, or if kernels were not recorded, because the device may have worked. */
void xs_repeats_add_host(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                         struct xs_account *account);

/* Must be called after the last instance by detectors whose instances at several sites count together. Reports the
 * instances of sites that have too little time alone, if all sites together have enough. */
void xs_repeats_finish(struct xs_repeats *repeats, struct xs_detection *detection);

/* Releases the instances that were not reported. */
void xs_repeats_end(struct xs_repeats *repeats, struct xs_detection *detection);

#endif
