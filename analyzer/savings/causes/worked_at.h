/* Finds the line at which the host worked, for findings about work of the host. The line is known from the samples of
 * the thread's Python stack (table host_sample). */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_WORKED_AT_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_WORKED_AT_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Sets `worked_at` of the findings host-work and host-preparation, if there are enough samples, more than half of the
 * sampled time is at one place, and this is not the place of the finding. */
void xs_worked_at_find(struct xs_diagnosis *diagnosis, const struct xs_plan *plan);

#endif
