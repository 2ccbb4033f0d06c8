/* Keeps the instances of a site until they are numerous enough to be reported. One slow call is no finding, but a call
 * that is slow in each iteration is. Memory use grows with the number of call sites, each with up to XS_REPEATS_KEPT
 * instances. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_REPEATS_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"

/* The instances of a site are reported only if the site has at least XS_REPEATS_LEAST of them. Detectors that also
 * demand a minimum of time (least_ns) need only XS_REPEATS_LEAST_LONG, because a loop may have few long steps. If a
 * site has more than XS_REPEATS_KEPT instances before they are reported, the instances beyond this number are counted
 * but not kept. */
enum { XS_REPEATS_LEAST = 10, XS_REPEATS_LEAST_LONG = 3, XS_REPEATS_KEPT = 32768 };

/* A finding about the host's time is reported only if a site's instances together take at least 1 /
 * XS_REPEATS_RUN_SHARE of the run. A smaller time is not worth a change of the program. */
enum { XS_REPEATS_RUN_SHARE = 20 };

/* A step may spend its time in several lines. In this case, the instances of all sites together must take at least 1 /
 * XS_REPEATS_RUN_SHARE of the run (xs_repeats_finish), and those of each reported site at least 1 /
 * XS_REPEATS_SITE_SHARE of the run. */
enum { XS_REPEATS_SITE_SHARE = 200 };

struct xs_repeats {
    struct xs_hash sites; /* by site number */
    uint64_t least;       /* the number of instances that a site must have; 0: XS_REPEATS_LEAST */
    uint64_t least_ns;    /* the removable host time that a site's instances must have together */
    uint64_t ns;          /* removable host time of all instances so far */
};

/* Adds an instance to its site; `account` is the account of the instance. As soon as the site has enough instances,
 * reports each of them and claims its removable time from its account. */
void xs_repeats_add(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                    struct xs_account *account);

/* Adds an instance of a finding about the host's time. Counts it as undecided instead in two cases: if calls may be
 * missing from the trace, because the time of missing calls would count as time of the program's own code; or if
 * kernels were not recorded, because the device may have been busy during this time. */
void xs_repeats_add_host(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                         struct xs_account *account);

/* Detectors whose instances at several sites count together must call this function after the last instance. Reports
 * the instances of sites that have too little time alone, if all sites together have enough. */
void xs_repeats_finish(struct xs_repeats *repeats, struct xs_detection *detection);

/* Releases the instances that were not reported. */
void xs_repeats_end(struct xs_repeats *repeats, struct xs_detection *detection);

#endif
