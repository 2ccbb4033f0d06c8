/* Does for a ledger (XFERSPY_MODE=ledger, schema/write/store_ledger.h) what the drain thread has to do. Only the drain
 * thread calls these functions. The functions with a result return 0 or an error of the store. */
#ifndef XFERSPY_PRELOAD_SESSION_LEDGER_SESSION_H
#define XFERSPY_PRELOAD_SESSION_LEDGER_SESSION_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* Makes the new trace a ledger, after its first rows were committed. */
int xs_ledger_session_start(struct xs_store *store);

/* Tells the ledger which part of the run is the latest one, and whether it has ended (core/call_windows.h). Ends the
 * part if it is full. Must be called before events of a new part are stored. */
int xs_ledger_session_tell(struct xs_store *store, const struct xs_clock *clock);

/* Decides whether calls outside of the parts are recorded for their sums, or only counted. They are only counted while
 * recording calls has cost more than 10 ms plus 0.25 % of the run, or everything together more than 300 ms plus 0.45 %
 * of the run. After such a time, they are recorded again only when recording calls has cost no more than 10 ms plus
 * 0.2 % of the run. The parts are recorded whatever they cost, so a ledger can cost more. `calls_ns` is what recording
 * calls has cost so far, and `all_ns` what everything has cost, both without the start of the session. */
void xs_ledger_session_bound(uint64_t calls_ns, uint64_t all_ns);

/* Drops parts of a trace that is too large: it may grow by 2 MiB in each hour of the run, up to the `most_mib` MiB that
 * the user permits. Rolls the ledger up if this is due: at first after two seconds, later once a minute. Must be called
 * when no batch is open. */
int xs_ledger_session_keep(struct xs_store *store, const struct xs_clock *clock, long most_mib);

/* Rolls the ledger up at the end of the run. Must be called when no batch is open. */
int xs_ledger_session_end(struct xs_store *store, const struct xs_clock *clock);

#endif
