/* What a repair saves at the copies that chance left out. Their contents are not known, but their calls are in the
 * model: the run is replayed as if all of them were instances, too, and of what that saves more, the finding gets the
 * part that its sample says. So what looking at a copy took is not multiplied, and no copy saves more than its own
 * call, wait and gap. */
#ifndef XFERSPY_ANALYZER_CAUSES_SCALE_H
#define XFERSPY_ANALYZER_CAUSES_SCALE_H

#include "analyzer/savings/causes/plan_repairs.h"

/* Adds to `saved`, what a replay with the found instances saves at each end of the range, what is saved at the others.
 * `room` gets the largest that a saving can be (xs_plan_room). `items` are the finding's instances, `run` is the replay
 * of the run as it is. Changes the plan. Only where xs_sample_is_part. */
void xs_scale(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items, size_t count,
              int64_t run, double saved[2], uint64_t *room);

/* Adds all copies that chance left out to the plan, as if they were instances. */
void xs_scale_add(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                  size_t count, enum xs_plan_end end);

#endif
