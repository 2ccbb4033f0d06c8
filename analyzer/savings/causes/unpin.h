/* What it changes when memory is not page-locked: the calls that lock and unlock it are not made, and its copies take
 * as long as from pageable memory. docs/rules/analysis.md, "What a repair saves", has the rule. */
#ifndef XFERSPY_ANALYZER_CAUSES_UNPIN_H
#define XFERSPY_ANALYZER_CAUSES_UNPIN_H

#include "analyzer/savings/causes/plan.h"

/* Of the memory that this call allocates or registers. At least, an allocation is replaced by one of pageable memory,
 * which is touched for the first time; at most, the copies use memory that there is. Returns how many such memories
 * were found: 0 or 1. */
size_t xs_unpin(struct xs_plan *plan, uint32_t allocation, enum xs_plan_end end);

#endif
