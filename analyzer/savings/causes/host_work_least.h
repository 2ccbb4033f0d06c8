/* Computes a lower bound of what is saved if the device does the work that the host does on downloaded data. Rule:
 * docs/rules/analysis.md, "What a repair saves". */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_HOST_WORK_LEAST_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_HOST_WORK_LEAST_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Lowers the least saving of findings whose repair is XS_REPAIR_WORK_ON_DEVICE. Must be called when the detours are
 * known. */
void xs_host_work_bound(struct xs_diagnosis *diagnosis, const struct xs_plan *plan);

#endif
