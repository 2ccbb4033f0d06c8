/* Finds allocations that are blocks of a caching allocator (PyTorch's, CuPy's, RMM's, a program's own arena), by their
 * use: docs/rules/analysis.md, "Pools". Such a block is kept on purpose, and the trace does not show what the program
 * requested from its allocator. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_POOLS_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_POOLS_H

#include <stdbool.h>
#include <stddef.h>

struct xs_allocation; /* residency.h */

/* True if copies and memsets used two parts of the allocation that begin at different addresses, each at most half of
 * it. */
bool xs_is_used_in_parts(const struct xs_allocation *allocation);

/* Sets `is_pool` in allocations that are similar to one that was used in parts. `live` has the allocations that live at
 * the end; the caller has set `is_pool` in those that were used in parts. */
void xs_pools_mark(struct xs_allocation **live, size_t count);

#endif
