/* Computes the wrappers' cost from the measured calls. */
#include "preload/core/own_cost.h"

uint64_t xs_own_cost_most_ticks;
static double ns_per_tick;
static _Atomic uint64_t exact_ticks; /* see xs_own_cost_work_begin */

void xs_own_cost_start(const struct xs_clock *clock) {
    const uint64_t ticks = 1000000000;
    uint64_t now = xs_clock_tick((enum xs_clock_source)clock->source);
    int64_t ns = xs_clock_to_ns(clock, now + ticks) - xs_clock_to_ns(clock, now);
    ns_per_tick = ns > 0 ? (double)ns / (double)ticks : 1;
    xs_own_cost_most_ticks = (uint64_t)(XS_OWN_COST_MOST_NS / ns_per_tick);
}

uint64_t xs_own_cost_ns(void) {
    double measured = (double)xs_gate_counts().measured_ticks * XS_OWN_COST_EVERY;
    return (uint64_t)((measured + (double)atomic_load_explicit(&exact_ticks, memory_order_relaxed)) * ns_per_tick);
}

static uint64_t counted_in_call(void) {
    return xs_gate_slot ? atomic_load_explicit(&xs_gate_slot->exact_ticks, memory_order_relaxed) : 0;
}

struct xs_own_cost_work xs_own_cost_work_begin(void) {
    return (struct xs_own_cost_work){xs_now(), xs_thread.stalled_ns, counted_in_call()};
}

void xs_own_cost_work_end(const struct xs_own_cost_work *work) {
    uint64_t ticks = xs_now() - work->begun, stalled_ns = xs_thread.stalled_ns - work->stalled_ns;
    uint64_t elsewhere = counted_in_call() - work->counted;
    elsewhere += stalled_ns ? (uint64_t)((double)stalled_ns / ns_per_tick) : 0;
    ticks -= elsewhere < ticks ? elsewhere : ticks;
    if (xs_gate_slot)
        atomic_store_explicit(&xs_gate_slot->exact_ticks, counted_in_call() + ticks, memory_order_relaxed);
    atomic_fetch_add_explicit(&exact_ticks, ticks, memory_order_relaxed);
}
