/* The budget is one number of the process that all threads add to without a lock. Where threads race a little too
 * much is spent, which does no harm. */
#include "preload/fingerprint/budget.h"

#include <stdatomic.h>

/* What may be spent before the share has grown to it, so that short programs are seen, too. */
#define ADVANCE_NS INT64_C(3000000)
/* A fingerprint that costs more than this part of its copy's time waits while more than half the budget is gone. */
#define DEAR_PERCENT 10

static uint64_t start_tick;
static unsigned share_percent;
static double ns_per_tick;
static _Atomic int64_t spent_ns;
static _Atomic uint64_t took_ns;

void xs_budget_start(uint64_t now_tick, unsigned percent, double ticks_per_us) {
    start_tick = now_tick;
    share_percent = percent;
    ns_per_tick = 1000.0 / ticks_per_us;
    atomic_store(&spent_ns, 0);
    atomic_store(&took_ns, 0);
}

uint64_t xs_budget_ns(uint64_t ticks) { return (uint64_t)((double)ticks * ns_per_tick); }

bool xs_budget_spend(uint64_t now_tick, uint64_t cost_ns, uint64_t copy_ns) {
    int64_t cost = (int64_t)cost_ns;
    if (share_percent < 100) {
        int64_t spent = atomic_load_explicit(&spent_ns, memory_order_relaxed);
        int64_t allowed = (int64_t)(xs_budget_ns(now_tick - start_tick) * share_percent / 100) + ADVANCE_NS;
        bool dear = cost_ns * 100 > copy_ns * DEAR_PERCENT;
        if (spent + cost > (dear ? allowed / 2 : allowed)) {
            return false;
        }
    }
    atomic_fetch_add_explicit(&spent_ns, cost, memory_order_relaxed);
    return true;
}

void xs_budget_refund(uint64_t cost_ns) {
    atomic_fetch_sub_explicit(&spent_ns, (int64_t)cost_ns, memory_order_relaxed);
}

void xs_budget_took(uint64_t planned_ns, uint64_t took) {
    atomic_fetch_add_explicit(&spent_ns, (int64_t)(took - planned_ns), memory_order_relaxed);
    atomic_fetch_add_explicit(&took_ns, took, memory_order_relaxed);
}

uint64_t xs_budget_took_ns(void) { return atomic_load_explicit(&took_ns, memory_order_relaxed); }

uint64_t xs_budget_spent_ns(void) {
    int64_t spent = atomic_load_explicit(&spent_ns, memory_order_relaxed);
    return spent > 0 ? (uint64_t)spent : 0;
}
