/* Estimates, of a ledger (XFERSPY_MODE=ledger), how many instances a finding about contents has in the whole run. The
 * trace has instances in some parts of the run only, which were chosen at random, but how many copies a call site made
 * in the whole run is known from the sums. So the share of the site's copies that are instances is taken from the parts
 * (a ratio estimate), and how much the parts differ gives its interval. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_IN_RUN_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_IN_RUN_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/windows/capture_ranges.h"

/* Counts by part. A struct whose fields are all 0 is empty. */
struct xs_in_run_counts {
    struct xs_hash transfers; /* by site and part */
    struct xs_hash instances; /* by detector, verdict, site and part */
};

/* Counts a copy of a site that ran, or an instance. `part` is the index of its part; negative: none. */
void xs_in_run_transfer(struct xs_in_run_counts *counts, uint32_t site, int64_t part);
void xs_in_run_instance(struct xs_in_run_counts *counts, unsigned detector, unsigned verdict, uint32_t site,
                        int64_t part);

/* Sets `in_run` of all findings about contents. `run_ns` is how long the run took. The findings must be complete, and
 * so must be `at_sites`. */
void xs_in_run_estimate(struct xs_findings *findings, const struct xs_in_run_counts *counts,
                        const struct xs_capture_ranges *ranges, uint64_t run_ns);

void xs_in_run_free(struct xs_in_run_counts *counts);

#endif
