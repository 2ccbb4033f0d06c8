/* Says where the host was seen while it worked before uploads, and after them. The samples of the thread's Python stack
 * show this (table host_sample). If samples are in the function that uploads, the program prepares the data there. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PREPARATION_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PREPARATION_H

#include "analyzer/findings/engine/instances.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Sets the plan's `preparation` for the uploads of one finding, for this end of its saving. */
void xs_preparation_look(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end);

/* Returns the thread's first call after an upload and the calls that belong to its statement; XS_PLAN_NONE: none. */
uint32_t xs_preparation_next(const struct xs_plan *plan, uint32_t upload);

#endif
