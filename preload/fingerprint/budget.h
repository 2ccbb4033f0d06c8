/* The time that fingerprints may take in mode `auto`: a share, set by the user, of the wall time since the session's
 * start. The sampler (sampler.h) asks which part of the copies that time suffices for. Any thread; no lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H
#define XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the budget: `permille` of the time from now on may be spent; 1000 means unbounded. `ticks_per_us` belongs to
 * the capture clock. */
void xs_budget_start(uint64_t now_tick, unsigned permille, double ticks_per_us);

/* Tells how much others have spent so far of the budget that the share is a half of (0 until this is called). */
void xs_budget_others(uint64_t ns);

/* Returns false if the budget is unbounded, so that all copies are looked at. */
bool xs_budget_is_limited(void);

/* Returns the part of the copies to look at from now on; 1 or more: all of them. `more_ns` is what looking at all
 * copies since the last such call would have cost. */
double xs_budget_part(uint64_t now_tick, uint64_t more_ns);

/* May `cost_ns` be spent now? True: it counts as spent. False is rare, because the sampler plans for less. */
bool xs_budget_spend(uint64_t now_tick, uint64_t cost_ns);

/* Gives back what xs_budget_spend counted, because it was not needed. */
void xs_budget_refund(uint64_t cost_ns);

/* Corrects an estimate: `planned_ns` of what was counted was meant for the calling thread's time, which really was
 * `took_ns`. */
void xs_budget_took(uint64_t planned_ns, uint64_t took_ns);
uint64_t xs_budget_took_ns(void); /* sum of all `took_ns` */

uint64_t xs_budget_spent_ns(void);

/* Converts ticks of the capture clock to nanoseconds, roughly. */
uint64_t xs_budget_ns(uint64_t ticks);

#endif
