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

/* Corrects an estimate by what it was. */
void xs_budget_correct(int64_t more_ns);

uint64_t xs_budget_spent_ns(void);

/* Ticks of the capture clock in nanoseconds, roughly. */
uint64_t xs_budget_ns(uint64_t ticks);

#endif
