/* Looks whether calls break rules; see guard_rules.h. Any number of threads look at the same time, without a lock. */
#include "preload/core/guard_rules.h"

#include "preload/core/asked_window.h"

enum { NUMBER_BITS = 24 }; /* of a counter: the lower bits count calls, the upper bits are the step */
#define NUMBER_MOST ((UINT64_C(1) << NUMBER_BITS) - 1)

XS_TLS struct xs_rule_break xs_rule_broken;
static struct xs_guard_spec spec;                      /* set before xs_state_page.rules */
static _Atomic unsigned told;                          /* bits of the rules that were broken */
static _Atomic uint64_t counters[XS_GUARD_RULES_MOST]; /* of a step */
static struct xs_rule_break later;
static _Atomic int later_state; /* NONE, then READY, then TAKEN */
enum { NONE, READY, TAKEN };

void xs_guard_rules_start(const struct xs_guard_spec *wanted) {
    spec = *wanted;
    atomic_store(&told, 0);
    atomic_store(&later_state, NONE);
    for (unsigned i = 0; i < XS_GUARD_RULES_MOST; i++)
        atomic_store(&counters[i], 0);
    atomic_store(&xs_state_page.rules, spec.count != 0);
}

const struct xs_guard_spec *xs_guard_rules(void) { return &spec; }

/* Counts a call of a step, and returns which one it is. */
static uint64_t count(_Atomic uint64_t *counter, uint64_t step) {
    uint64_t before = atomic_load(counter), after;
    do {
        uint64_t number = before >> NUMBER_BITS == step ? before & NUMBER_MOST : 0;
        after = step << NUMBER_BITS | (number < NUMBER_MOST ? number + 1 : number);
    } while (!atomic_compare_exchange_weak(counter, &before, after));
    return after & NUMBER_MOST;
}

static bool is_upload(const struct xs_event *e) {
    return e->kind == XS_EVENT_TRANSFER && e->transfer.direction == XS_DIR_H2D && e->transfer.bytes > 0;
}
static bool is_download(const struct xs_event *e) {
    return e->kind == XS_EVENT_TRANSFER && e->transfer.direction == XS_DIR_D2H && e->transfer.bytes > 0;
}

/* True if the call is one of those that the rule counts in a step. */
static bool is_counted(enum xs_guard_kind kind, const struct xs_event *e) {
    return kind == XS_GUARD_H2D_IN_STEP   ? is_upload(e)
           : kind == XS_GUARD_D2H_IN_STEP ? is_download(e)
                                          : e->kind == XS_EVENT_SYNC;
}

static bool is_pageable(const struct xs_event *e) {
    return (is_upload(e) && e->transfer.src_kind == XS_MEM_PAGEABLE) ||
           (is_download(e) && e->transfer.dst_kind == XS_MEM_PAGEABLE);
}

static bool breaks(unsigned i, const struct xs_event *e, uint64_t step, uint64_t *number) {
    const struct xs_guard_rule *rule = &spec.rules[i];
    switch (rule->kind) {
    case XS_GUARD_H2D:
        return is_upload(e) && e->transfer.bytes > rule->limit;
    case XS_GUARD_D2H:
        return is_download(e) && e->transfer.bytes > rule->limit;
    case XS_GUARD_PAGEABLE:
        return is_pageable(e) && e->transfer.bytes > rule->limit;
    case XS_GUARD_H2D_IN_STEP:
    case XS_GUARD_D2H_IN_STEP:
    case XS_GUARD_WAITS_PER_STEP:
        *number = step && is_counted(rule->kind, e) ? count(&counters[i], step) : 0;
        return *number > rule->limit;
    case XS_GUARD_NOOP_UPLOAD:
    case XS_GUARD_KINDS:
        break;
    }
    return false;
}

static bool is_told(unsigned i) { return atomic_load(&told) >> i & 1; }

static unsigned all_rules(void) { return (1u << spec.count) - 1; }

void xs_guard_rules_were_told(void) {
    if (atomic_load(&told) == all_rules())
        atomic_store(&xs_state_page.rules, 0);
}

/* False: another thread is the first to tell this rule or, if the program ends at the first break, any rule. */
static bool take(unsigned i) {
    unsigned bits = spec.fails ? all_rules() : 1u << i;
    return !(atomic_fetch_or(&told, bits) >> i & 1);
}

void xs_guard_rules_look(const struct xs_event *e) {
    uint64_t step = xs_asked_step_now();
    for (unsigned i = 0; i < spec.count; i++) {
        uint64_t number = 0;
        if (is_told(i) || !breaks(i, e, step, &number) || xs_rule_broken.rule || !take(i))
            continue;
        xs_rule_broken = (struct xs_rule_break){.rule = i + 1,
                                                .stack = e->stack,
                                                .entry = e->entry,
                                                .bytes = e->kind == XS_EVENT_TRANSFER ? e->transfer.bytes : 0,
                                                .step = number ? step : 0,
                                                .number = number};
    }
    if (XS_UNLIKELY(atomic_load_explicit(&later_state, memory_order_acquire) == READY) && !xs_rule_broken.rule)
        xs_guard_rules_take_later(&xs_rule_broken);
}

unsigned xs_guard_rules_open(enum xs_guard_kind kind) {
    if (atomic_load(&later_state) != NONE && kind == XS_GUARD_NOOP_UPLOAD)
        return 0;
    for (unsigned i = 0; i < spec.count; i++)
        if (spec.rules[i].kind == kind && !is_told(i))
            return i + 1;
    return 0;
}

bool xs_guard_rules_found_later(const struct xs_rule_break *broken) {
    if (!xs_guard_rules_open(XS_GUARD_NOOP_UPLOAD))
        return false;
    later = *broken;
    atomic_store_explicit(&later_state, READY, memory_order_release);
    return true;
}

bool xs_guard_rules_take_later(struct xs_rule_break *broken) {
    int ready = READY;
    if (!atomic_compare_exchange_strong(&later_state, &ready, TAKEN) || !take(later.rule - 1))
        return false;
    *broken = later;
    return true;
}
