/* Models that memory is no longer page-locked: the calls that lock and unlock it are dropped, and its copies take as
 * long as with pageable memory. Rule: docs/rules/analysis.md, "What a repair saves". */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_UNPIN_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_UNPIN_H

#include "analyzer/savings/plan/replay_plan.h"

/* Unpins the memory that this call allocates or registers. For the least saving, new pageable memory replaces an
 * allocation and must be touched for the first time; for the most saving, the copies use existing memory. Returns 1 if
 * the memory was found, else 0. */
size_t xs_unpin(struct xs_plan *plan, uint32_t allocation, enum xs_plan_end end);

#endif
