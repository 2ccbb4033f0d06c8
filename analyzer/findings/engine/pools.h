/* Which allocations are blocks of a caching allocator (PyTorch's, CuPy's, RMM's, a program's own arena), by how they
 * are used: docs/rules/analysis.md, "Pools". Such a block is kept on purpose, and what the program asked its allocator
 * for is not in the trace. */
#ifndef XFERSPY_ANALYZER_ENGINE_POOLS_H
#define XFERSPY_ANALYZER_ENGINE_POOLS_H

#include <stdbool.h>
#include <stddef.h>

struct xs_allocation; /* residency.h */

/* Whether copies and memsets used two parts of it that begin at different places, each at most half of it. */
bool xs_is_used_in_parts(const struct xs_allocation *allocation);

/* Marks the other blocks of the pools among what lives at the end (`is_pool`): those that look like one that was used
 * in parts. */
void xs_pools_mark(struct xs_allocation **live, size_t count);

#endif
