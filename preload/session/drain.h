/* The drain thread: it owns the trace, takes events and records over in batches, and closes the trace at the end. */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_H

#include <stdint.h>

#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "schema/spool/spool.h"

/* Starts the thread, which creates the trace and the spool; it does so itself because its file descriptors are its own.
 * Once a session, before xs_state becomes active. `wish` is the wanted name; it, `options`, `clock`, which has begun,
 * and `spool` are the caller's and must stay. Returns 0, or an error with its reason in `why`. */
int xs_drain_start(const struct xs_trace_name *wish, const struct xs_options *options, const struct xs_clock *clock,
                   struct xs_spool *spool, char why[256]);

/* Waits until both files exist. Returns 0, or an error with its reason in `why`, and neither file is left behind. Waits
 * until two seconds after the start at most, for a file system that does not answer; then the thread deletes the files
 * when it can. */
int xs_drain_await(char why[256]);

/* The start of the session held the program for so long. */
void xs_drain_started(uint64_t took_ns);
/* Its exit handler did. */
void xs_drain_exited(uint64_t took_ns);

/* The trace's name: the wanted one, or the first behind it that was free, or the one that the file was given
 * meanwhile. */
const char *xs_drain_path(void);

/* DELETED: somebody deleted the trace meanwhile, and nothing is left of it. */
enum xs_finish { XS_FINISH_OK, XS_FINISH_LATE, XS_FINISH_FAILED, XS_FINISH_DELETED };

/* Has the thread take everything over and close the trace, and waits at most `timeout_ms`, and at most `still_ms` while
 * there is no progress; what is late then is done by any xferspy command later. Takes no lock, so a signal handler may
 * call it. `events`: how many the trace holds. */
enum xs_finish xs_drain_finish(unsigned timeout_ms, unsigned still_ms, uint64_t *events);

/* At the end of a process whose start was given up after two seconds: waits a quarter of a second at most, so that the
 * thread can delete what it made in the meantime. Else returns at once. */
void xs_drain_wait_discarded(void);

/* What failed, after XS_FINISH_FAILED. Static memory. */
const char *xs_drain_why(void);

#endif
