/* The drain thread owns the trace, takes over events and records in batches, and closes the trace at the end. */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_H

#include <stdint.h>

#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "schema/spool/spool.h"

/* Starts the thread, which creates the trace and the spool, because it has its own file descriptors. Once a session,
 * before xs_state becomes active. `wish` is the wanted name, and `clock` has begun. The caller owns `wish`, `options`,
 * `clock` and `spool`, and must keep them. Returns 0, or an error with its reason in `why`. */
int xs_drain_start(const struct xs_trace_name *wish, const struct xs_options *options, const struct xs_clock *clock,
                   struct xs_spool *spool, char why[256]);

/* Waits until both files exist, at most until two seconds after the start, in case a file system does not answer.
 * Returns 0, or an error with its reason in `why`. After an error neither file is left; after a timeout the thread
 * deletes them when it can. */
int xs_drain_await(char why[256]);

/* Reports how long the start of the session held the program. */
void xs_drain_started(uint64_t took_ns);
/* Reports how long the session's exit handler held the program. */
void xs_drain_exited(uint64_t took_ns);

/* Returns the trace's name: the wanted one, the first free one after it, or the name that the file was given since. */
const char *xs_drain_path(void);

/* DELETED: somebody deleted the trace meanwhile, and nothing is left of it. */
enum xs_finish { XS_FINISH_OK, XS_FINISH_LATE, XS_FINISH_FAILED, XS_FINISH_DELETED };

/* Makes the thread take everything over and close the trace. Waits at most `timeout_ms`, and at most `still_ms` without
 * progress; any xferspy command completes a late trace. Takes no lock, so a signal handler may call it. `events`
 * receives the number of events in the trace. */
enum xs_finish xs_drain_finish(unsigned timeout_ms, unsigned still_ms, uint64_t *events);

/* At the end of a process that gave up its start after two seconds: waits at most a quarter of a second, so that the
 * thread can delete what it has made since. Otherwise returns at once. */
void xs_drain_wait_discarded(void);

/* Returns what failed, after XS_FINISH_FAILED. Static memory. */
const char *xs_drain_why(void);

#endif
