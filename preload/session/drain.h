/* The drain thread: it owns the trace, takes events and records over in batches, and closes the trace at the end. */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_H

#include <stddef.h>
#include <stdint.h>

#include "preload/session/options.h"
#include "schema/spool.h"

/* Starts the thread and waits until it has created the trace and the spool; it does so itself because its file
 * descriptors are its own. Once a session, before xs_state becomes active. `path` is the wanted name, and is changed to
 * the one that was free; `path`, `options` and `spool` are the caller's and must stay. Returns 0 when both files exist,
 * else an error with its reason in `why`, and neither file is left behind. */
int xs_drain_start(char *path, size_t path_bytes, const struct xs_options *options, struct xs_spool *spool,
                   char why[256]);

enum xs_finish { XS_FINISH_OK, XS_FINISH_LATE, XS_FINISH_FAILED };

/* Has the thread take everything over and close the trace, and waits at most `timeout_ms`; what is late then is done by
 * any xferspy command later. Takes no lock, so a signal handler may call it. `events`: how many the trace holds. */
enum xs_finish xs_drain_finish(unsigned timeout_ms, uint64_t *events);

/* What failed, after XS_FINISH_FAILED. Static memory. */
const char *xs_drain_why(void);

#endif
