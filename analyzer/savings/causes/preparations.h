/* Finds needless uploads whose bytes the host makes again each time: the same bytes come from another host address than
 * before. If such an upload is not made any more, the host's work before it is needless, too. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_PREPARATIONS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_PREPARATIONS_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Adds to what needless uploads save at most what the finding host-preparation at the same place saves. The findings'
 * own savings must be known. A finding host-preparation whose work was not seen becomes advice: nothing says that the
 * host makes the uploaded data, and it does something before most uploads. If it was seen, the finding saves at
 * least what the samples stand for in which the thread did not sleep. From then on only these count in the plan. */
void xs_preparations_add(struct xs_diagnosis *diagnosis, struct xs_plan *plan, int64_t run_ns);

#endif
