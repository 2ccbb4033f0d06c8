/* What it changes when managed memory's pages stay where they are used: kernels that faulted last as long as they would
 * without faults, and the host does not walk through pages that come back one by one. docs/rules/analysis.md, "What a
 * repair saves", has the rule.
 *
 * Where page migrations were recorded in windows only, the windows say what share of a function's kernels, and of the
 * host's time behind a call of one place, was spent so. The others are taken to be like them, with a margin that is
 * wide where few were seen. */
#ifndef XFERSPY_ANALYZER_CAUSES_MANAGED_H
#define XFERSPY_ANALYZER_CAUSES_MANAGED_H

#include "analyzer/savings/causes/plan.h"

struct xs_managed;

/* Of the plan's model, whose calls are linked. NULL in `managed`: no page moved. Negative status: the message is set.
 * Always to be freed. */
int xs_managed_read(struct xs_managed **managed, const struct xs_plan *plan, const struct xs_trace *trace,
                    char *message);
void xs_managed_free(struct xs_managed *managed);

/* The pages of this allocation (allocation.id) stay, too, once xs_managed_change has been called. */
void xs_managed_keep(struct xs_managed *managed, int64_t allocation);

/* Changes the plan by the pages that stay, if some more do than before. At least, the host's part remains with the
 * host: the pages are sent to the device before each kernel. At most, it is done on the device. Returns how many calls
 * change. The time it takes grows with the kernels and the gaps between calls, not with the allocations that stay. */
size_t xs_managed_change(struct xs_managed *managed, struct xs_plan *plan, enum xs_plan_end end);

/* No allocation's pages stay. */
void xs_managed_clear(struct xs_managed *managed);

#endif
