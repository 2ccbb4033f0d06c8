/* Limits the time that fingerprints may take in mode `auto` to a share of the wall time since the session's start; the
 * user sets the share. The sampler (sampler.h) calls xs_budget_part to learn for what part of the copies this time
 * suffices. In these comments, a copy is "looked at" if its content is fingerprinted. Any thread may call these
 * functions; they take no lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H
#define XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the budget: `permille` thousandths of the time from now on may be spent; 1000 means unbounded. `ticks_per_us`
 * belongs to the capture clock. */
void xs_budget_start(uint64_t now_tick, unsigned permille, double ticks_per_us);

/* Tells the budget how much time other parts of the library have spent so far; without this call, the time is 0. The
 * other parts and the fingerprints have a common budget of twice the share. If the other parts take more than the
 * share, less is left for fingerprints, but at least half of the share. */
void xs_budget_others(uint64_t ns);

/* Returns false if the budget is unbounded, so that all copies are looked at. */
bool xs_budget_is_limited(void);

/* Returns what part of the copies to look at from now on; 1 or more: all copies. `more_ns` is the time that it would
 * have taken to look at all copies since the last call of xs_budget_part. */
double xs_budget_part(uint64_t now_tick, uint64_t more_ns);

/* Asks whether `cost_ns` may be spent now. True: `cost_ns` is counted as spent. False is rare, because the sampler
 * plans to spend less than the budget. */
bool xs_budget_spend(uint64_t now_tick, uint64_t cost_ns);

/* Undoes xs_budget_spend; called if the time was not needed. */
void xs_budget_refund(uint64_t cost_ns);

/* Corrects a cost that xs_budget_spend has counted. A part of this cost, `estimate_ns`, was the estimated time of the
 * calling thread, but the thread really took `took_ns`. */
void xs_budget_took(uint64_t estimate_ns, uint64_t took_ns);
uint64_t xs_budget_took_ns(void); /* sum of all `took_ns` */

uint64_t xs_budget_spent_ns(void);

/* Converts ticks of the capture clock to nanoseconds, roughly. */
uint64_t xs_budget_ns(uint64_t ticks);

#endif
