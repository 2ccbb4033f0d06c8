/* Writes into the trace those facts that change while the program runs: what CUPTI recorded and in which windows, which
 * of the requested parts of the run were recorded, and what the repairs did. All functions write into the store, inside
 * the caller's batch. Only the drain thread may call them. */
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

/* Runs at the end. If the user requested only parts of the run, writes when these parts were recorded, and how many
 * calls were left out outside them (core/call_windows.h). */
void xs_window_facts_write_ranges(const struct xs_window_facts *facts, struct xs_store *store);

/* Runs at the end. Writes which repairs are on (repair/repair.h), and how many calls and bytes each of them has
 * repaired. */
void xs_window_facts_write_repairs(const struct xs_window_facts *facts, struct xs_store *store);

/* Runs repeatedly during the run. Writes the windows, the requested parts and the repairs from time to time, so that
 * the trace of a killed process shows at least most of the recorded windows, and that the run was repaired. */
void xs_window_facts_write_in_between(const struct xs_window_facts *facts, struct xs_store *store);

#endif
