/* Estimates what a repair saves at the copies that the sample left out. Their contents are unknown, but their calls are
 * in the model. The run is replayed as if all these copies were instances. The finding then gets a part of the extra
 * saving, in proportion to the share of these copies that are instances according to its sample. In this way the time
 * for taking fingerprints is not multiplied, and no copy saves more than the time of its own call, wait and gap. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_SCALE_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_SCALE_H

#include "analyzer/savings/plan/plan_repairs.h"

/* Adds the savings of the left-out copies to `saved`, which has, for each end of the range, the saving of a replay in
 * which only the found instances are repaired. `room` gets the largest possible saving (xs_plan_room). `items` are the
 * finding's instances; `run` is the duration of a replay of the unchanged run. Changes the plan. xs_sample_is_part must
 * be true for the finding's sample. */
void xs_scale(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items, size_t count,
              int64_t run, double saved[2], uint64_t *room);

/* Adds all copies that the sample left out to the plan, as if they were instances. */
void xs_scale_add(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                  size_t count, enum xs_plan_end end);

#endif
