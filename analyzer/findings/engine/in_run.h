/* Estimates how many instances a finding has in the whole run if the trace is a ledger (XFERSPY_MODE=ledger). A ledger
 * has single calls, and so instances, only in some parts of the run, which were chosen at random. But its sums tell how
 * many copies each call site made in the whole run. So the number of these copies is multiplied by the share of the
 * site's copies in the parts that are instances (a ratio estimate). The interval follows from how much the parts
 * differ, and from how few copies they have. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_IN_RUN_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_IN_RUN_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/windows/capture_ranges.h"

/* Counts copies and instances by part. A struct whose fields are all 0 is empty. */
struct xs_in_run_counts {
    struct xs_hash transfers; /* by site and part */
    struct xs_hash instances; /* by detector, verdict, site and part */
};

/* Count a copy of a site that ran, or an instance. `part` is the index of its part in xs_capture_ranges.items;
 * negative: it is in no part, and is not counted. */
void xs_in_run_transfer(struct xs_in_run_counts *counts, uint32_t site, int64_t part);
void xs_in_run_instance(struct xs_in_run_counts *counts, unsigned detector, unsigned verdict, uint32_t site,
                        int64_t part);

/* Sets `in_run` of all findings that have an estimate (xs_sample.is_of_contents). `run_ns` is how long the run took.
 * The other fields of the findings, and `at_sites`, must be complete. */
void xs_in_run_estimate(struct xs_findings *findings, const struct xs_in_run_counts *counts,
                        const struct xs_capture_ranges *ranges, uint64_t run_ns);

void xs_in_run_free(struct xs_in_run_counts *counts);

#endif
