/* A session: one process, one trace, from the first call that makes a context to the process's end. */
#ifndef XFERSPY_PRELOAD_SESSION_H
#define XFERSPY_PRELOAD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/intercept/driver_api.h"
#include "preload/options.h"
#include "schema/spool.h"
#include "schema/store.h"

/* The spool of the running session. */
struct xs_spool *xs_session_spool(void);

/* A context's device was learned; the drain thread writes it down. */
void xs_session_context(CUcontext context, int device);

/* The drain thread (drain.c). Start creates the trace and the spool, both within the thread, whose file descriptors are
 * its own; `path` is changed to the name that was free. Returns 0 when both exist, else an error with its reason. */
int xs_drain_start(char *path, size_t path_bytes, const struct xs_options *options, struct xs_spool *spool,
                   char why[256]);
void xs_drain_wake(void);        /* there is something to do; async-signal-safe */
void xs_drain_chunk_taken(void); /* a thread took a chunk: keeps enough of them free */

enum xs_finish { XS_FINISH_OK, XS_FINISH_LATE, XS_FINISH_FAILED };
/* Takes everything over and closes the trace; waits at most `timeout_ms`. With `flush` the drain thread first asks
 * CUPTI for its records. No lock is taken in the calling thread. `events`: how many the trace holds. */
enum xs_finish xs_drain_finish(unsigned timeout_ms, bool flush, uint64_t *events);
const char *xs_drain_why(void); /* what failed, after XS_FINISH_FAILED */

/* Facts of the process and the machine, and of the devices that the driver has, into the trace (facts.c). */
void xs_facts_write(struct xs_store *store, const struct xs_options *options, const struct xs_clock *clock);
void xs_facts_write_devices(struct xs_store *store);

/* The name of the trace from the template (naming.c). Returns 0 or XS_ERROR_INVALID. */
int xs_trace_name(const char *template, char *path, size_t bytes);

/* Rank as launchers tell it: value of the first variable that is set, its name through `variable`; -1 without. */
long xs_rank(const char **variable);
long xs_world_size(void);
long xs_local_rank(void);

/* Notes given so far, handed to the store (notes.c). */
int xs_notes_write(struct xs_store *store, const struct xs_clock *clock);

void xs_thread_forget(void);

#endif
