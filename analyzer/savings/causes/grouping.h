/* One cause for the findings about one place and the same transfers; see xs_cause in engine/findings.h. */
#ifndef XFERSPY_ANALYZER_CAUSES_GROUPING_H
#define XFERSPY_ANALYZER_CAUSES_GROUPING_H

#include "analyzer/savings/causes/instances.h"
#include "analyzer/savings/causes/plan.h"

/* From the findings' savings; `run_ns` is the replay of the run as it is. */
void xs_group_causes(struct xs_findings *findings, struct xs_plan *plan, const struct xs_repairables *all,
                     int64_t run_ns);

#endif
