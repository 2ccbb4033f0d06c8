/* How much time fingerprints may take in mode `auto`: a share of the wall time since the session's start, which the user
 * sets. What costs little for what it could tell goes first. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H
#define XFERSPY_PRELOAD_FINGERPRINT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* From now on `percent` of the time may be spent, 100: without bound. `ticks_per_us` of the capture clock. */
void xs_budget_start(uint64_t now_tick, unsigned percent, double ticks_per_us);

/* May `cost_ns` be spent for what is known of a copy that itself takes about `copy_ns`? If so it counts as spent. */
bool xs_budget_spend(uint64_t now_tick, uint64_t cost_ns, uint64_t copy_ns);

/* What was spent was not needed. */
void xs_budget_refund(uint64_t cost_ns);

/* Of the spent, `planned_ns` was the calling thread's time; it took so much. */
void xs_budget_took(uint64_t planned_ns, uint64_t took_ns);
uint64_t xs_budget_took_ns(void); /* all together */

uint64_t xs_budget_spent_ns(void);

/* Ticks of the capture clock in nanoseconds, roughly. */
uint64_t xs_budget_ns(uint64_t ticks);

#endif
