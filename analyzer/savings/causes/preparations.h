/* Finds needless uploads whose bytes the host makes again each time: the same bytes come from another host address than
 * before. If such an upload is not made any more, the host's work before it is needless, too. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_PREPARATIONS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_PREPARATIONS_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Raises the largest saving of such uploads to the largest saving of the finding host-preparation at the same place.
 * Must be called when the findings' own savings are known. Each finding host-preparation whose least saving is 0
 * becomes advice, because no sample shows that the host makes the uploaded data. The least saving of the others becomes
 * 0, because the host may have slept there. */
void xs_preparations_add(struct xs_diagnosis *diagnosis, const struct xs_plan *plan);

#endif
