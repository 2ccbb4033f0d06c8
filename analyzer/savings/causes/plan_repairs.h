/* The repairs of findings as changes of a plan: which calls are not made, which take less, and which are made
 * elsewhere.
 */
#ifndef XFERSPY_ANALYZER_CAUSES_PLAN_REPAIRS_H
#define XFERSPY_ANALYZER_CAUSES_PLAN_REPAIRS_H

#include "analyzer/savings/causes/instances.h"
#include "analyzer/savings/causes/plan.h"

/* Makes the repair of one finding's instances; of a call that is changed already only a dropping counts. Returns how
 * many of the instances' calls were found. */
size_t xs_plan_add(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end);

/* The same of copies that chance left out, as if they were instances: the first `own` by their repair; the others,
 * which only the most of a repair leaves out with these, are not made. All of them are in the model. Host memory stays.
 */
void xs_plan_add_left_out(struct xs_plan *plan, const struct xs_repairable *items, size_t own, size_t count,
                          enum xs_plan_end end);

/* The number of an instance's first row: its call's, or of one of the copies of a batch call as in host_memory.h. */
uint32_t xs_plan_number(const struct xs_plan *plan, const struct xs_repairable *item);

/* The call is not made, nor what of its statement is directly behind it. */
void xs_plan_drop_call(struct xs_plan *plan, uint32_t call, enum xs_plan_end end);

#endif
