/* A session: one process, one trace, from the first call that makes a context to the process's end. */
#ifndef XFERSPY_PRELOAD_SESSION_H
#define XFERSPY_PRELOAD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/intercept/driver_api.h"
#include "preload/session/options.h"
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
/* Takes everything over and closes the trace; waits at most `timeout_ms`, without a lock: signal handlers may call it.
 * `events`: how many the trace holds. */
enum xs_finish xs_drain_finish(unsigned timeout_ms, uint64_t *events);
const char *xs_drain_why(void); /* what failed, after XS_FINISH_FAILED */

/* The flusher (flusher.c): a thread that asks CUPTI for complete records every second. It has the application's file
 * descriptors, because CUPTI may call the driver. `now` has it ask for all of them, and waits at most `timeout_ms`
 * without a lock, so that it can be called where the calling thread may hold one of CUPTI's. */
void xs_flusher_start(void);
void xs_flusher_now(unsigned timeout_ms);
void xs_flusher_managed_memory(void); /* some was allocated: watch its migrations */
void xs_flusher_still(void);          /* the process ends: no further call of CUPTI, which may be gone any moment */

/* A detached thread of the library's own: no signals, its calls are not recorded (own_thread.c). 0 or an errno. */
int xs_own_thread(void *(*body)(void *));
void xs_futex_wait(_Atomic uint32_t *word, uint32_t while_it_is, unsigned timeout_ms);
void xs_futex_wake(_Atomic uint32_t *word);

/* Facts of the process and the machine, and of the devices that the driver has, into the trace (facts.c). The devices
 * are read by a thread that has the driver's file descriptors. */
void xs_facts_read_devices(void);
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

/* In a forked child: what a thread that is not there may hold. */
void xs_thread_forget(void);
void xs_notes_forget(void);

#endif
