/* Facts of the trace that grow while the program runs: what CUPTI recorded and in which windows, what the user asked
 * for, and what the repairs did. All functions write into the store, inside the caller's batch. Drain thread only. */
#ifndef XFERSPY_PRELOAD_SESSION_WINDOW_METADATA_H
#define XFERSPY_PRELOAD_SESSION_WINDOW_METADATA_H

#include <stdint.h>

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/write/store.h"

struct xs_window_facts {
    const struct xs_options *options;
    const struct xs_clock *clock;
    uint64_t begin_ns; /* time that the session's start held the program; 0: not known yet */
};

void xs_window_facts_write_cupti(const struct xs_window_facts *facts, struct xs_store *store);

/* At the end: writes what was asked for, and what was left out beside it (core/outside.h). */
void xs_window_facts_write_ranges(const struct xs_window_facts *facts, struct xs_store *store);

/* At the end: writes which repairs are on (repair/repair.h), and how often each was made. */
void xs_window_facts_write_repairs(const struct xs_window_facts *facts, struct xs_store *store);

/* Writes all of these facts now and then. A reader of the trace of a killed process must know which windows were
 * recorded, or most of them, and that the run was repaired. */
void xs_window_facts_write_in_between(const struct xs_window_facts *facts, struct xs_store *store);

#endif
