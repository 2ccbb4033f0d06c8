/* Models what a statement of the program does before and after its driver call; see replay_plan.h. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_STATEMENT_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_STATEMENT_H

#include "analyzer/savings/plan/replay_plan.h"

/* Sets the plan's `overheads`. */
void xs_statement_overheads(struct xs_plan *plan);

/* True if two calls are known to come from the same place; `a` may be XS_PLAN_NONE. */
bool xs_statement_is_same_place(const struct xs_plan *plan, uint32_t a, uint32_t b);

/* Returns the first of the calls that a framework's thread made together with this call for the main thread; this call
 * itself if there are no such calls. The work of the main thread that belongs to this call is the work before the first
 * of these calls. */
uint32_t xs_statement_first(const struct xs_plan *plan, uint32_t call);

/* Returns the time from the return of the thread's previous call to this call's enter; 0 for the thread's first call.
 */
int64_t xs_statement_gap(const struct xs_plan *plan, uint32_t call);

/* The interpreter and the library take at most this long for a statement, unless they copy data on the host. The limit
 * is well above the 20 to 40 us that were measured for CuPy (tests/bench/results/savings.md). */
enum { XS_STATEMENT_LIMIT_NS = 100000 };

/* Returns the least time that a statement takes before a call of this call's line, or `otherwise` if this time is not
 * known. */
int64_t xs_statement_overhead(const struct xs_plan *plan, uint32_t call, int64_t otherwise);

/* Returns how much of the time before the call belongs to its statement. This part is the time of the interpreter and
 * the library; for XS_PLAN_MOST, it also has the time in which a library may copy the data into page-locked memory. If
 * the previous call is of another line, only half of the interpreter's time counts, because the end of the previous
 * call's statement lies in the same gap. 0 if the program calls the driver or the runtime itself. */
int64_t xs_statement_before(const struct xs_plan *plan, uint32_t call, enum xs_plan_end end);

/* True if `later` belongs to the same statement as `call` and only serves `call`: `later` records an event or waits.
 * The calls between `call` and `later` must also only serve `call`. */
bool xs_statement_continues(const struct xs_plan *plan, uint32_t call, uint32_t later);

#endif
