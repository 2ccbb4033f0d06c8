/* Facts of the trace that grow while the program runs: what CUPTI recorded, in which windows, what was asked for, and
 * what the repairs did.
 * All write into the store, inside a batch of the caller's. Drain thread only. */
#ifndef XFERSPY_PRELOAD_SESSION_WINDOW_FACTS_H
#define XFERSPY_PRELOAD_SESSION_WINDOW_FACTS_H

#include <stdint.h>

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/write/store.h"

struct xs_window_facts {
    const struct xs_options *options;
    const struct xs_clock *clock;
    uint64_t begin_ns; /* the start of the session held the program for so long; 0: not known yet */
};

void xs_window_facts_write_cupti(const struct xs_window_facts *facts, struct xs_store *store);

/* What was asked for, and what was left out beside it (core/outside.h). At the end. */
void xs_window_facts_write_ranges(const struct xs_window_facts *facts, struct xs_store *store);

/* Which repairs are on (repair/repair.h), and how often each was made. At the end. */
void xs_window_facts_write_repairs(const struct xs_window_facts *facts, struct xs_store *store);

/* All of them, now and then: whoever reads the trace of a process that was killed has to know which windows were
 * recorded, or most of them, and that the run was repaired. */
void xs_window_facts_write_in_between(const struct xs_window_facts *facts, struct xs_store *store);

#endif
