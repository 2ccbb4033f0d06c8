/* The time spent is one number of the process, to which all threads add without a lock. If threads race, slightly more
 * than the budget is spent, which does no harm. */
#include "preload/fingerprint/budget.h"

#include <stdatomic.h>

/* The budget is larger than the share by this advance, so that copies of short programs are looked at, too.
 * xs_budget_part uses only a third of the advance. The rest is for the first copies of strata that begin late, and for
 * copies that follow a chosen copy. */
#define ADVANCE_NS INT64_C(3000000)
#define PLANNED_ADVANCE_NS (ADVANCE_NS / 3)
/* xs_budget_part spends the rest of the budget as if only 1 / HASTE of the copies so far were still to come. A larger
 * factor uses more of the budget, but if all copies come at once, fewer of the late ones would be looked at. */
#define HASTE 2.0
#define PLENTY 1e9
/* At most this much of the time before the first copy counts for the share. Otherwise a program that takes a minute to
 * start would afterwards be slowed down by much more than the share. */
#define BEFORE_FIRST_NS 2000000000.0

static _Atomic uint64_t start_tick;
static _Atomic bool has_begun; /* there was a copy */
static unsigned share_permille;
static double ns_per_tick;
static _Atomic int64_t spent_ns;
static _Atomic int64_t estimated_ns; /* estimate of spent_ns, without corrections */
static _Atomic uint64_t took_ns, wanted_ns;
static _Atomic uint64_t others_ns;        /* see xs_budget_others */
static _Atomic uint64_t others_before_ns; /* part of others_ns that was spent before the share began to grow */

void xs_budget_start(uint64_t now_tick, unsigned permille, double ticks_per_us) {
    atomic_store(&start_tick, now_tick);
    share_permille = permille;
    ns_per_tick = 1000.0 / ticks_per_us;
    atomic_store(&spent_ns, 0);
    atomic_store(&estimated_ns, 0);
    atomic_store(&took_ns, 0);
    atomic_store(&wanted_ns, 0);
    atomic_store(&others_ns, 0);
    atomic_store(&others_before_ns, 0);
    atomic_store(&has_begun, false);
}

uint64_t xs_budget_ns(uint64_t ticks) { return (uint64_t)((double)ticks * ns_per_tick); }

bool xs_budget_is_limited(void) { return share_permille < 1000; }

void xs_budget_others(uint64_t ns) { atomic_store_explicit(&others_ns, ns, memory_order_relaxed); }

/* Notes the first copy, on any thread. */
static void begin(uint64_t now_tick) {
    if (atomic_load_explicit(&has_begun, memory_order_relaxed) || atomic_exchange(&has_begun, true))
        return;
    uint64_t most = (uint64_t)(BEFORE_FIRST_NS / ns_per_tick), start = atomic_load(&start_tick);
    if (now_tick > start + most) {
        atomic_store(&start_tick, now_tick - most);
        atomic_store(&others_before_ns, atomic_load(&others_ns));
    }
}

/* Returns the share of the time so far. If others have taken more than the other half of the common budget, the result
 * is smaller, but at least half of the share, because the analysis can tell little without fingerprints. */
static int64_t grown(uint64_t now_tick) {
    uint64_t since = now_tick - atomic_load_explicit(&start_tick, memory_order_relaxed);
    int64_t share = (int64_t)(xs_budget_ns(since) * share_permille / 1000),
            others = (int64_t)(atomic_load_explicit(&others_ns, memory_order_relaxed) -
                               atomic_load_explicit(&others_before_ns, memory_order_relaxed)),
            left = 2 * share - others;
    return left >= share ? share : left > share / 2 ? left : share / 2;
}

bool xs_budget_spend(uint64_t now_tick, uint64_t cost_ns) {
    int64_t cost = (int64_t)cost_ns;
    begin(now_tick);
    if (share_permille < 1000 &&
        atomic_load_explicit(&spent_ns, memory_order_relaxed) + cost > grown(now_tick) + ADVANCE_NS)
        return false;
    atomic_fetch_add_explicit(&spent_ns, cost, memory_order_relaxed);
    atomic_fetch_add_explicit(&estimated_ns, cost, memory_order_relaxed);
    return true;
}

/* Computes HASTE * (A - S) / W. A is the time that may be spent up to now, S the time that was spent, and W the time
 * that it would have taken to look at all copies, corrected by the real costs. All three are sums since the start, so
 * the result changes slowly, hardly at all within a period of the program, and S remains less than A even if the
 * program changes. If all three grow steadily, S is HASTE / (1 + HASTE) of A. */
double xs_budget_part(uint64_t now_tick, uint64_t more_ns) {
    begin(now_tick);
    double wanted = (double)(atomic_fetch_add_explicit(&wanted_ns, more_ns, memory_order_relaxed) + more_ns);
    int64_t spent = atomic_load_explicit(&spent_ns, memory_order_relaxed),
            estimated = atomic_load_explicit(&estimated_ns, memory_order_relaxed),
            left = grown(now_tick) + PLANNED_ADVANCE_NS - spent;
    if (left <= 0)
        return 0;
    if (estimated > 0 && spent > 0)
        wanted *= (double)spent / (double)estimated;
    double part = HASTE * (double)left / (wanted > 1 ? wanted : 1);
    return part < PLENTY ? part : PLENTY;
}

void xs_budget_refund(uint64_t cost_ns) {
    atomic_fetch_sub_explicit(&spent_ns, (int64_t)cost_ns, memory_order_relaxed);
    atomic_fetch_sub_explicit(&estimated_ns, (int64_t)cost_ns, memory_order_relaxed);
}

void xs_budget_took(uint64_t estimate_ns, uint64_t took) {
    atomic_fetch_add_explicit(&spent_ns, (int64_t)(took - estimate_ns), memory_order_relaxed);
    atomic_fetch_add_explicit(&took_ns, took, memory_order_relaxed);
}

uint64_t xs_budget_took_ns(void) { return atomic_load_explicit(&took_ns, memory_order_relaxed); }

uint64_t xs_budget_spent_ns(void) {
    int64_t spent = atomic_load_explicit(&spent_ns, memory_order_relaxed);
    return spent > 0 ? (uint64_t)spent : 0;
}
