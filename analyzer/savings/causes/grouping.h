/* Groups the findings about one place and the same transfers into one cause; see xs_cause in diagnosis.h. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_GROUPING_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_GROUPING_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Makes and ranks the causes, by the findings' savings. `run_ns` is the duration of a replay of the unchanged run. */
void xs_group_causes(struct xs_diagnosis *diagnosis, struct xs_plan *plan, int64_t run_ns);

#endif
