/* What the drain thread does for a ledger (XFERSPY_MODE=ledger, schema/write/store_ledger.h). Only the drain thread
 * calls these functions. */
#ifndef XFERSPY_PRELOAD_SESSION_LEDGER_SESSION_H
#define XFERSPY_PRELOAD_SESSION_LEDGER_SESSION_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* Makes the new trace a ledger. */
int xs_ledger_session_start(struct xs_store *store);

/* Tells the ledger which part of the run it has now (core/call_windows.h). Must be called before events of the part are
 * stored. */
int xs_ledger_session_tell(struct xs_store *store, const struct xs_clock *clock);

/* Decides whether calls outside of the parts are recorded for their sums, or only counted: recording calls may cost
 * half of the 0.5 % of the run that a ledger may cost, and all together hardly more than that. `calls_ns` and `all_ns`:
 * what they have cost so far, without the start. */
void xs_ledger_session_bound(uint64_t calls_ns, uint64_t all_ns);

/* Keeps the trace small, and rolls it up when it is time. Called when no batch is open. `most_mib` is the largest size
 * that the user wants. */
int xs_ledger_session_keep(struct xs_store *store, const struct xs_clock *clock, long most_mib);

/* Rolls the ledger up at the end of the run. Called when no batch is open. */
int xs_ledger_session_end(struct xs_store *store, const struct xs_clock *clock);

#endif
