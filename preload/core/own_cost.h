/* What the wrappers themselves cost the program: one call of many is measured, from the wrapper's beginning to its end,
 * less the real call. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_COST_H
#define XFERSPY_PRELOAD_CORE_OWN_COST_H

#include <stdint.h>

#include "preload/core/gate.h"
#include "preload/core/thread.h"

#define XS_OWN_COST_EVERY 61u /* calls of a thread; a prime, which follows no pattern of a program's own */
/* A call that took longer was interrupted, or did what is done once: it read modules, or defined a stack. */
#define XS_OWN_COST_MOST_NS 5000u

extern uint64_t xs_own_cost_most_ticks; /* set before capture begins */

/* Capture begins, by this clock. */
void xs_own_cost_start(const struct xs_clock *clock);

/* What the wrappers have cost all threads together by now. Any thread. */
uint64_t xs_own_cost_ns(void);

/* At the beginning of a wrapper: the time if this call is to be measured, else 0. */
XS_HOT uint64_t xs_own_cost_begin(void) {
    struct xs_gate_slot *slot = xs_gate_slot;
    if (XS_LIKELY(slot && slot->until_measured)) {
        slot->until_measured--;
        return 0;
    }
    return slot ? xs_now() : 0;
}

/* Of the call whose real one was entered at `entered`, so much has an account of its own. Once a call. */
XS_HOT void xs_own_cost_elsewhere(uint64_t entered, uint64_t ticks) {
    if (xs_gate_slot) {
        xs_gate_slot->elsewhere_at = entered;
        xs_gate_slot->elsewhere_ticks = ticks;
    }
}

/* At its end. The real call was entered at `entered` and returned at `returned`. */
XS_HOT void xs_own_cost_end(uint64_t begun, uint64_t entered, uint64_t returned) {
    struct xs_gate_slot *slot = xs_gate_slot;
    uint64_t ticks = entered - begun + (xs_now() - returned),
             elsewhere = slot->elsewhere_at == entered ? slot->elsewhere_ticks : 0;
    ticks -= elsewhere < ticks ? elsewhere : ticks;
    slot->until_measured = XS_OWN_COST_EVERY - 1;
    atomic_store_explicit(&slot->measured, atomic_load_explicit(&slot->measured, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (ticks < xs_own_cost_most_ticks) {
        atomic_store_explicit(&slot->measured_ticks,
                              atomic_load_explicit(&slot->measured_ticks, memory_order_relaxed) + ticks,
                              memory_order_relaxed);
    }
}

#endif
