/* Measures the time that the wrappers cost the program. In each thread, one of every XS_OWN_COST_EVERY calls is
 * measured, from the wrapper's start to its end, without the time of the real call. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_COST_H
#define XFERSPY_PRELOAD_CORE_OWN_COST_H

#include <stdint.h>

#include "preload/core/quiescence.h"
#include "preload/core/thread.h"

#define XS_OWN_COST_EVERY 61u /* a prime number, because a program may repeat its calls with some period */
/* If a measured call took longer than this, its time is not added, because the call was interrupted or did one-time
 * work, such as reading modules or defining a stack. */
#define XS_OWN_COST_MOST_NS 5000u

extern uint64_t xs_own_cost_most_ticks; /* set before capture begins */

/* Starts the measurement. This function is called when capture begins; `clock` converts ticks. */
void xs_own_cost_start(const struct xs_clock *clock);

/* Returns the time that the wrappers have cost all threads together so far. Any thread. */
uint64_t xs_own_cost_ns(void);

/* Runs at the start of a wrapper. Returns the present time in ticks; 0: this call is not measured. */
XS_HOT uint64_t xs_own_cost_begin(void) {
    struct xs_gate_slot *slot = xs_gate_slot;
    uint32_t calls = slot ? atomic_load_explicit(&slot->until_measured, memory_order_relaxed) : 0;
    if (XS_LIKELY(calls)) {
        atomic_store_explicit(&slot->until_measured, calls - 1, memory_order_relaxed);
        return 0;
    }
    if (slot)
        atomic_store_explicit(&slot->exact_ticks, 0, memory_order_relaxed);
    return slot ? xs_now() : 0;
}

/* Some work of the wrappers is measured in every call, because few calls do it, or because it takes long: reading the
 * Python stacks of other threads, and taking the stacks of launches. The same call must begin and end the work. The
 * time for which the thread waits for space in the spool is not counted here, because it is counted as stalled time
 * (xs_thread_stalled_ns). If such work contains other such work, the time is counted only once. */
struct xs_own_cost_work {
    uint64_t begun, stalled_ns, counted;
};
struct xs_own_cost_work xs_own_cost_work_begin(void);
void xs_own_cost_work_end(const struct xs_own_cost_work *work);

/* Excludes `ticks` from the measured time of this call, because another measurement already counts them. `entered` is
 * the time at which the wrapper entered the real call. May be called at most once in each call. */
XS_HOT void xs_own_cost_elsewhere(uint64_t entered, uint64_t ticks) {
    if (xs_gate_slot) {
        xs_gate_slot->elsewhere_at = entered;
        xs_gate_slot->elsewhere_ticks = ticks;
    }
}

/* Runs at the end of a measured wrapper. The wrapper began at `begun`, entered the real call at `entered`, and
 * returned from the real call at `returned`. */
XS_HOT void xs_own_cost_end(uint64_t begun, uint64_t entered, uint64_t returned) {
    struct xs_gate_slot *slot = xs_gate_slot;
    uint64_t ticks = entered - begun + (xs_now() - returned),
             elsewhere = atomic_load_explicit(&slot->exact_ticks, memory_order_relaxed) +
                         (slot->elsewhere_at == entered ? slot->elsewhere_ticks : 0);
    ticks -= elsewhere < ticks ? elsewhere : ticks;
    atomic_store_explicit(&slot->until_measured, XS_OWN_COST_EVERY - 1, memory_order_relaxed);
    xs_gate_count(&slot->measured);
    if (ticks < xs_own_cost_most_ticks) {
        atomic_store_explicit(&slot->measured_ticks,
                              atomic_load_explicit(&slot->measured_ticks, memory_order_relaxed) + ticks,
                              memory_order_relaxed);
    }
}

#endif
