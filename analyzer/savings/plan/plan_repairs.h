/* Turns the repairs of findings into changes of a plan: calls that are dropped, shortened, or made elsewhere. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_REPAIRS_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_REPAIRS_H

#include "analyzer/findings/engine/instances.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Applies the repair of one finding's instances; a call that is changed already changes only if it is dropped. Returns
 * how many of the instances' calls were found. */
size_t xs_plan_add(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end);

/* Applies the repair to copies that chance left out, as if they were instances. The first `own` get their repair. The
 * others, which only the repair's upper end leaves out, are dropped. All are in the model. Host memory stays. */
void xs_plan_add_left_out(struct xs_plan *plan, const struct xs_repairable *items, size_t own, size_t count,
                          enum xs_plan_end end);

/* Returns the number of an instance's first row: its call's, or a batch copy's number as in host_memory.h. */
uint32_t xs_plan_number(const struct xs_plan *plan, const struct xs_repairable *item);

/* Drops the call, and what of its statement is directly behind it. */
void xs_plan_drop_call(struct xs_plan *plan, uint32_t call, enum xs_plan_end end);

#endif
