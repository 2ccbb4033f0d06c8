/* Estimates what a repair saves at the copies that chance left out. Their contents are unknown, but their calls are in
 * the model. The run is replayed as if all of them were instances, and the finding gets the part of the extra saving
 * that its sample says. So the time of looking at a copy is not multiplied, and no copy saves more than its own call,
 * wait and gap. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_SCALE_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_SCALE_H

#include "analyzer/savings/plan/plan_repairs.h"

/* Adds the left-out copies' savings to `saved`, which holds what a replay with the found instances saves at each end of
 * the range. `room` gets the largest possible saving (xs_plan_room). `items` are the finding's instances, `run` is the
 * replay of the unchanged run. Changes the plan. Requires xs_sample_is_part. */
void xs_scale(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items, size_t count,
              int64_t run, double saved[2], uint64_t *room);

/* Adds all copies that chance left out to the plan, as if they were instances. */
void xs_scale_add(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                  size_t count, enum xs_plan_end end);

#endif
