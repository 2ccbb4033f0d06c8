/* How much time fingerprints may take in mode `auto`: a share of the wall time since the session's start, which the
 * user sets. The sampler (sampler.h) asks what part of the copies can be looked at for that. Any thread; no lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H
#define XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* From now on `permille` of the time may be spent; 1000 means without bound. `ticks_per_us`: of the capture clock. */
void xs_budget_start(uint64_t now_tick, unsigned permille, double ticks_per_us);

/* The share is a half of a budget of which others have spent so much by now (0 until this is called). */
void xs_budget_others(uint64_t ns);

/* False: the budget has no bound, so all copies are looked at. */
bool xs_budget_is_limited(void);

/* What part of the copies is to be looked at from now on; 1 or more: all of them. `more_ns` is what it would have cost
 * to look at all copies since the last call that told of them. */
double xs_budget_part(uint64_t now_tick, uint64_t more_ns);

/* May `cost_ns` be spent now? True: it counts as spent. False is rare, because the sampler plans for less. */
bool xs_budget_spend(uint64_t now_tick, uint64_t cost_ns);

/* Gives back what xs_budget_spend counted, because it was not needed. */
void xs_budget_refund(uint64_t cost_ns);

/* Corrects an estimate: of what was counted, `planned_ns` was meant to be the calling thread's time, and it was
 * `took_ns`. */
void xs_budget_took(uint64_t planned_ns, uint64_t took_ns);
uint64_t xs_budget_took_ns(void); /* the sum of all `took_ns` */

uint64_t xs_budget_spent_ns(void);

/* Converts ticks of the capture clock to nanoseconds, roughly. */
uint64_t xs_budget_ns(uint64_t ticks);

#endif
