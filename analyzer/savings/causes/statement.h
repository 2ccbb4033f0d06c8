/* What a statement of the program does around its call of the driver; see plan.h. */
#ifndef XFERSPY_ANALYZER_CAUSES_STATEMENT_H
#define XFERSPY_ANALYZER_CAUSES_STATEMENT_H

#include "analyzer/savings/causes/plan.h"

/* Fills the plan's overheads. */
void xs_statement_overheads(struct xs_plan *plan);

/* Whether two calls are known to come from the same place; `a` may be XS_PLAN_NONE. */
bool xs_statement_is_same_place(const struct xs_plan *plan, uint32_t a, uint32_t b);

/* The time from the return of the thread's call before this one to its own enter; 0 of the first. */
int64_t xs_statement_gap(const struct xs_plan *plan, uint32_t call);

/* What a statement takes at most for the interpreter and the library, where it copies no data on the host; measured
 * (docs/develop/measurements.md). */
enum { XS_STATEMENT_LIMIT_NS = 100000 };

/* How much of the time before the call is its statement's own: what the interpreter and the library take (behind a call
 * of another line half of it, because that statement's end is in it, too), and, at most,
 * what a library may take that copies the data into page-locked memory of its own. 0 where the program calls the driver
 * or the runtime itself. */
int64_t xs_statement_before(const struct xs_plan *plan, uint32_t call, enum xs_plan_end end);

/* Whether a call behind `call`, with none but such calls between them, is of the same statement, and for its sake. */
bool xs_statement_continues(const struct xs_plan *plan, uint32_t call, uint32_t later);

#endif
