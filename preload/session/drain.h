/* The drain thread owns the trace. It moves events from the spool and records from CUPTI into the trace, in batches,
 * and closes the trace at the end. */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "schema/spool/spool.h"

/* Starts the thread. The thread itself creates the trace and the spool, because it has its own file descriptors. This
 * function is called once per session, before xs_state becomes XS_STATE_ACTIVE. `wish` is the requested name, and
 * `clock` must have been started. The caller owns `wish`, `options`, `clock` and `spool`, and must keep them for the
 * life of the process. Returns 0, or an error with its reason in `why`. */
int xs_drain_start(const struct xs_trace_name *wish, const struct xs_options *options, const struct xs_clock *clock,
                   struct xs_spool *spool, char why[256]);

/* Waits until the trace and the spool exist, but only until two seconds after xs_drain_start, because a file system may
 * not answer. Returns 0, or an error with its reason in `why`. After an error neither file exists; after a timeout the
 * thread deletes the files as soon as it can. */
int xs_drain_await(char why[256]);

/* Reports how long the start of the session delayed the program. */
void xs_drain_started(uint64_t took_ns);
/* Reports how long the session's exit handler delayed the program. */
void xs_drain_exited(uint64_t took_ns);

/* Returns the trace's name. This is the requested name, the first free name after it, or a name to which the file was
 * renamed. */
const char *xs_drain_path(void);

/* Makes the thread move all events that exist now, and all records that CUPTI has handed over, into the trace, and
 * waits at most `timeout_ms` until it has done so. True: whoever reads the trace from now on sees them. (But a ledger
 * shows only what was there at its last roll-up; schema/write/store_ledger.h.) False: the time was too short, or the
 * thread has ended. Any thread. */
bool xs_drain_now(unsigned timeout_ms);

/* Returns how many events the thread has moved into the trace. Any thread. */
uint64_t xs_drain_events(void);

/* Results of xs_drain_finish. LATE: the trace is not closed yet. FAILED: the trace is not complete; xs_drain_why says
 * why. NOTHING: nothing was recorded, because no command started the recording (XFERSPY_START=off), so the thread
 * deleted the trace. DELETED: the trace was deleted during the run, so there is nothing to complete. */
enum xs_finish { XS_FINISH_OK, XS_FINISH_LATE, XS_FINISH_FAILED, XS_FINISH_NOTHING, XS_FINISH_DELETED };

/* Makes the thread move all events and records into the trace and close it. Waits at most `timeout_ms` in total, and at
 * most `still_ms` without progress. If the trace is not complete after the wait, any xferspy command can complete it
 * later. Takes no lock, so a signal handler may call this function. Sets *events to the number of events in the
 * trace. */
enum xs_finish xs_drain_finish(unsigned timeout_ms, unsigned still_ms, uint64_t *events);

/* Runs at the end of the process. If xs_drain_await had a timeout, waits at most a quarter of a second, so that the
 * thread can delete the files that it has created. Otherwise returns at once. */
void xs_drain_wait_discarded(void);

/* Returns the reason for XS_FINISH_FAILED, in static memory. */
const char *xs_drain_why(void);

#endif
