/* Changes a plan where host memory is page-locked for too few copies, or for copies that are no longer made. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_LOCKED_MEMORY_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_LOCKED_MEMORY_H

#include "analyzer/savings/plan/replay_plan.h"

/* Makes the memory that this call allocates or registers pageable. For the least saving, new pageable memory replaces
 * an allocation and must be touched for the first time; for the most saving, the copies use existing memory. Returns 1
 * if the memory was found, else 0. */
size_t xs_plan_unpin(struct xs_plan *plan, uint32_t allocation, enum xs_plan_end end);

/* Drops the calls that page-lock memory for copies that are no longer made. */
void xs_plan_drop_useless_memory(struct xs_plan *plan);

#endif
