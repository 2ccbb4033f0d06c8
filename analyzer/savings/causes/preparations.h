/* Finds needless uploads whose bytes the host makes again each time: the same bytes come from another host address than
 * before. If the program no longer makes such an upload, the host's work before it is needless, too. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_PREPARATIONS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_PREPARATIONS_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Raises the most saving of needless uploads to the most saving of the finding host-preparation at the same place, or
 * to a part of it if only a part of the prepared uploads is needless. The findings' own savings must be known. If no
 * sample shows the work of a finding host-preparation, the finding becomes advice, because the host does something
 * before most uploads, and this need not be the making of the data. If samples show the work, the finding's least
 * saving counts only samples in which the thread did not sleep. The plan counts only such samples after this call
 * (counts_only_awake). */
void xs_preparations_add(struct xs_diagnosis *diagnosis, struct xs_plan *plan, int64_t run_ns);

#endif
