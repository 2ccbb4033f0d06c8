/* Looks whether copies and waits break the rules of XFERSPY_GUARD (schema/guard_spec.h). The wrappers of copies and
 * waits call these functions only while there are rules that were not broken yet. A rule that was broken is told once
 * and is over then. */
#ifndef XFERSPY_PRELOAD_CORE_GUARD_RULES_H
#define XFERSPY_PRELOAD_CORE_GUARD_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/state.h"
#include "schema/guard_spec.h"

/* A call that broke a rule. */
struct xs_rule_break {
    unsigned rule; /* number of the rule in the spec, from 1; 0: none was broken */
    uint32_t stack;
    uint16_t entry;        /* row of the entry-point table */
    uint64_t bytes;        /* of a copy; 0: a wait */
    uint64_t step, number; /* if the rule is about steps: the step, and which upload, download or wait of it this is */
};

/* The break that the calling thread has to tell when its call has left all code of the library and the driver. */
extern XS_TLS struct xs_rule_break xs_rule_broken;

/* Begins to look. This function is called before the first event is recorded, and again only by tests. */
void xs_guard_rules_start(const struct xs_guard_spec *spec);
const struct xs_guard_spec *xs_guard_rules(void);

/* True while there are rules that were not broken yet. The word lies in the cache line of the state, which every
 * wrapper reads anyway. */
XS_HOT bool xs_guard_rules_wanted(void) {
    return XS_UNLIKELY(atomic_load_explicit(&xs_state_page.rules, memory_order_relaxed) != 0);
}

/* Looks at a copy that was made, or at a wait that returned. If it breaks a rule, sets xs_rule_broken. */
void xs_guard_rules_look(const struct xs_event *e);

/* Runs when a break was told. If all rules were broken, no call is looked at any more. */
void xs_guard_rules_were_told(void);

/* The two halves of a break that is known only when results have arrived (noop-upload). xs_guard_rules_found_later is
 * called by the drain thread; the next call at which any thread looks takes the break, or the end of the session does.
 * Both return false if the rule was broken before. */
bool xs_guard_rules_found_later(const struct xs_rule_break *broken);
bool xs_guard_rules_take_later(struct xs_rule_break *broken);

/* Returns the number of the rule of this kind that was not broken yet; 0: there is none. */
unsigned xs_guard_rules_open(enum xs_guard_kind kind);

#endif
