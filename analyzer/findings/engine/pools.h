/* Finds allocations that are blocks of a caching allocator (PyTorch's, CuPy's, RMM's, a program's own arena), by their
 * use: docs/rules/analysis.md, "Pools". Such a block is kept on purpose, and the trace does not show what the program
 * requested from its allocator. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_POOLS_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_POOLS_H

#include <stdbool.h>
#include <stddef.h>

struct xs_allocation; /* residency.h */

/* True if copies and memsets used two parts of the allocation that begin at different addresses, each at most half as
 * large as the allocation. Always false for an allocation that is too small to be a block of a pool, or is not device
 * memory. */
bool xs_is_used_in_parts(const struct xs_allocation *allocation);

/* Sets `is_pool` in allocations that are similar to an allocation that was used in parts: both have the same device and
 * context, and sizes that are multiples of a device page. `live` has the allocations that were not freed before the
 * end; the caller has set `is_pool` in those that were used in parts. */
void xs_pools_mark(struct xs_allocation **live, size_t count);

#endif
