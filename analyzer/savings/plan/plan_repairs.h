/* Converts the repairs of findings into changes of a plan: calls are dropped, shortened, or moved to other streams. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_REPAIRS_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_REPAIRS_H

#include "analyzer/findings/engine/instances.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Applies the repair of a finding to its instances. A call that the plan has already changed is changed again only if
 * it is dropped now. Returns how many of the instances' calls were found. */
size_t xs_plan_add(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end);

/* Applies the repair to copies that the sample left out, as if they were instances. The repair is applied to the first
 * `own` copies. The other copies are dropped; for the least saving, only the share of them that surely nobody reads
 * (xs_unread.least). All copies must be in the model.
 * Page-locked memory that no copy needs any more is dropped only if `drops_host_memory` is true, and only for the most
 * saving. */
void xs_plan_add_left_out(struct xs_plan *plan, const struct xs_repairable *items, size_t own, size_t count,
                          bool drops_host_memory, enum xs_plan_end end);

/* Returns the number of an instance's first row: the index of its call, or the number of a copy of a batch call
 * (xs_model_copy_at). */
uint32_t xs_plan_number(const struct xs_plan *plan, const struct xs_repairable *item);

/* Drops the call, and the calls of the same statement directly after it. */
void xs_plan_drop_call(struct xs_plan *plan, uint32_t call, enum xs_plan_end end);

#endif
