/* Models managed memory with pages that stay where they are used: kernels that faulted last as long as they would
 * without faults, and the host does not wait for pages that come back one by one. Rule: docs/rules/analysis.md, "What a
 * repair saves".
 *
 * If page migrations were recorded in windows only, the windows give the share of time that was spent on pages: of a
 * function's kernels, and of the host's time behind calls of one place. The other kernels and gaps are assumed alike,
 * with a margin that is wide where few were seen. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_MANAGED_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_MANAGED_H

#include "analyzer/savings/plan/replay_plan.h"

struct xs_managed;

/* Reads the plan's model, which has linked calls. NULL in `managed`: no page moved. Negative status: the message is
 * set. Always free it. */
int xs_managed_read(struct xs_managed **managed, const struct xs_plan *plan, const struct xs_trace *trace,
                    char *message);
void xs_managed_free(struct xs_managed *managed);

/* Keeps the pages of this allocation (allocation.id) in place, too, from the next xs_managed_change on. */
void xs_managed_keep(struct xs_managed *managed, int64_t allocation);

/* Changes the plan if more pages stay than before. At least, the host's part remains with the host: the pages are sent
 * to the device before each kernel. At most, the device does that part. Returns how many calls change. The time grows
 * with the kernels and the gaps between calls, not with the allocations that stay. */
size_t xs_managed_change(struct xs_managed *managed, struct xs_plan *plan, enum xs_plan_end end);

/* Resets: no allocation's pages stay. */
void xs_managed_clear(struct xs_managed *managed);

#endif
