/* Models what a statement of the program does around its driver call; see replay_plan.h. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_STATEMENT_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_STATEMENT_H

#include "analyzer/savings/plan/replay_plan.h"

/* Fills the plan's overheads. */
void xs_statement_overheads(struct xs_plan *plan);

/* Says whether two calls are known to come from the same place; `a` may be XS_PLAN_NONE. */
bool xs_statement_is_same_place(const struct xs_plan *plan, uint32_t a, uint32_t b);

/* Returns the time from the return of the thread's previous call to this call's enter; 0 for the thread's first call.
 */
int64_t xs_statement_gap(const struct xs_plan *plan, uint32_t call);

/* A statement takes at most this long for the interpreter and the library, unless it copies data on the host; measured
 * (docs/develop/measurements.md). */
enum { XS_STATEMENT_LIMIT_NS = 100000 };

/* Returns how much of the time before the call belongs to its statement: the time of the interpreter and the library,
 * and, at most, of a library that copies the data into its own page-locked memory. Behind a call of another line only
 * half counts, because that statement's end lies in the same gap. 0 if the program calls the driver or the runtime
 * itself. */
int64_t xs_statement_before(const struct xs_plan *plan, uint32_t call, enum xs_plan_end end);

/* Says whether `later`, with only such calls between it and `call`, belongs to the same statement and serves it. */
bool xs_statement_continues(const struct xs_plan *plan, uint32_t call, uint32_t later);

#endif
