/* Whether a call ran: it did not fail, and was not only captured into a graph, whose launches are calls of their own.
 * Of transfers, memsets, launches and api_calls; the rows of `sync` are never captured, those of `allocation` are of
 * calls that succeeded. */
#ifndef XFERSPY_ANALYZER_TRACE_RAN_H
#define XFERSPY_ANALYZER_TRACE_RAN_H

#include <stdbool.h>
#include <stdint.h>

/* As a condition of SQL; no table that these are joined with has such columns. */
#define XS_RAN "result = 0 AND is_captured = 0"

static inline bool xs_ran(int64_t result, bool is_captured) { return result == 0 && !is_captured; }

#endif
