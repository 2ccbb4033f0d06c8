/* Models managed memory whose pages stay where they are used. Kernels that had faults then take as long as they would
 * without faults, and the host does not wait for pages that come back one by one. Rule: docs/rules/analysis.md, "What a
 * repair saves".
 *
 * If page migrations were recorded only in windows, the windows show what share of their time the kernels of each
 * function, and the host's gaps after the calls of each place, spent waiting for pages. The kernels and gaps outside
 * the windows are assumed to have the same share, with a margin that is wide if few kernels or gaps were recorded. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_MANAGED_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_MANAGED_H

#include "analyzer/savings/plan/replay_plan.h"

struct xs_managed;

/* Reads the managed memory of a trace. The calls of `plan` must be linked. *managed is NULL if no page moved. Negative
 * status: the message is set. Always call xs_managed_free. */
int xs_managed_read(struct xs_managed **managed, const struct xs_plan *plan, const struct xs_trace *trace,
                    char *message);
void xs_managed_free(struct xs_managed *managed);

/* These values say what the plan does with a managed allocation. Each value includes what the values before it save. */
enum xs_managed_way {
    XS_MANAGED_MOVES,      /* nothing */
    XS_MANAGED_IS_THERE,   /* its pages need not be made, because the program keeps an earlier allocation and uses it
                            * again; pages that come from the host still come */
    XS_MANAGED_PREFETCHED, /* its pages are sent to the device, or made there, before kernels use them for the first
                            * time; what happens after the first pages went back to the host does not change */
    XS_MANAGED_STAYS,      /* its pages stay on the device */
};

/* Records what the next xs_managed_change does with this allocation (allocation.id). Does nothing if a later value of
 * xs_managed_way was already recorded for it. */
void xs_managed_set(struct xs_managed *managed, int64_t allocation, enum xs_managed_way way);

/* Changes the plan if more pages stay where they are used than before. For the least saving, the host keeps its part of
 * the work, so the pages are sent to the device before each kernel. For the most saving, the device does that part,
 * too. Returns how many calls change. The running time of this function grows with the number of kernels and gaps, not
 * with the number of allocations that stay. */
size_t xs_managed_change(struct xs_managed *managed, struct xs_plan *plan, enum xs_plan_end end);

/* Resets everything: the plan then does nothing with any allocation (XS_MANAGED_MOVES). */
void xs_managed_clear(struct xs_managed *managed);

#endif
