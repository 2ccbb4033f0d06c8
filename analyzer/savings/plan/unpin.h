/* Models memory that is no longer page-locked: the calls that lock and unlock it are dropped, and its copies take as
 * long as from pageable memory. Rule: docs/rules/analysis.md, "What a repair saves". */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_UNPIN_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_UNPIN_H

#include "analyzer/savings/plan/replay_plan.h"

/* Unpins the memory that this call allocates or registers. At least, pageable memory replaces an allocation and is
 * touched for the first time; at most, the copies use existing memory. Returns how many such memories were found: 0 or
 * 1. */
size_t xs_unpin(struct xs_plan *plan, uint32_t allocation, enum xs_plan_end end);

#endif
