/* Whether a call ran: it succeeded, and was not only captured into a graph (each launch of the graph is a call of
 * its own). For rows of transfer, memset, launch and api_call; rows of `sync` are never captured, and those of
 * `allocation` succeeded. */
#ifndef XFERSPY_ANALYZER_TRACE_RAN_H
#define XFERSPY_ANALYZER_TRACE_RAN_H

#include <stdbool.h>
#include <stdint.h>

/* The rule as a condition of SQL. No table that is joined with these has columns of the same names. */
#define XS_RAN "result = 0 AND is_captured = 0"

static inline bool xs_ran(int64_t result, bool is_captured) { return result == 0 && !is_captured; }

#endif
