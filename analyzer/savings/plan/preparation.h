/* Finds where the host works before uploads and after uploads, from the samples of the thread's Python stack (table
 * host_sample). If samples are in the function that uploads, the program prepares the data in this function. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PREPARATION_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PREPARATION_H

#include "analyzer/findings/engine/instances.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Sets the plan's `preparation` for the uploads of one finding, for the end `end` of the finding's saving. */
void xs_preparation_look(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end);

/* Returns the first call of the thread after an upload and after the other calls of the upload's statement;
 * XS_PLAN_NONE: none. */
uint32_t xs_preparation_next(const struct xs_plan *plan, uint32_t upload);

#endif
