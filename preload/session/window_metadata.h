/* Facts in the trace that change while the program runs: what CUPTI recorded and in which windows, what the user
 * requested, and what the repairs did. All functions write into the store, inside the caller's batch. Drain thread
 * only. */
#ifndef XFERSPY_PRELOAD_SESSION_WINDOW_METADATA_H
#define XFERSPY_PRELOAD_SESSION_WINDOW_METADATA_H

#include <stdint.h>

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/write/store.h"

struct xs_window_facts {
    const struct xs_options *options;
    const struct xs_clock *clock;
    uint64_t begin_ns; /* time for which the session's start delayed the program; 0: not known yet */
};

void xs_window_facts_write_cupti(const struct xs_window_facts *facts, struct xs_store *store);

/* Called at the end: writes which parts of the run were requested, and what was left out outside these parts
 * (core/outside.h). */
void xs_window_facts_write_ranges(const struct xs_window_facts *facts, struct xs_store *store);

/* Called at the end: writes which repairs are on (repair/repair.h), and how often each was applied. */
void xs_window_facts_write_repairs(const struct xs_window_facts *facts, struct xs_store *store);

/* Called repeatedly during the run: writes all of these facts from time to time. If the process is killed, its trace
 * must show at least most of the recorded windows, and that the run was repaired. */
void xs_window_facts_write_in_between(const struct xs_window_facts *facts, struct xs_store *store);

#endif
