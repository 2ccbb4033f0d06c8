/* Decides if a call ran. A call ran if it succeeded and was not only captured into a graph (each launch of the graph is
 * a call of its own). The rule applies to rows of transfer, memset, launch and api_call. A row of `sync` is never
 * captured, and the call of a row of `allocation` always succeeded. */
#ifndef XFERSPY_ANALYZER_TRACE_RAN_H
#define XFERSPY_ANALYZER_TRACE_RAN_H

#include <stdbool.h>
#include <stdint.h>

/* The rule as a condition in SQL. The names of the columns need no prefix, because no table that is joined with
 * transfer, memset, launch or api_call has such columns. */
#define XS_RAN "result = 0 AND is_captured = 0"

static inline bool xs_ran(int64_t result, bool is_captured) { return result == 0 && !is_captured; }

#endif
