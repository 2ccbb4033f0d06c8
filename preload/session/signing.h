/* The trace's origin (schema/read/origin.h), determined by its own thread: the user's key may lie on a disk that does
 * not answer, and nothing else may wait for that. */
#ifndef XFERSPY_PRELOAD_SESSION_SIGNING_H
#define XFERSPY_PRELOAD_SESSION_SIGNING_H

#include "schema/write/store.h"

/* Reads the environment. Called by the thread that starts the session, before xs_drain_start. */
void xs_signing_prepare(void);

/* Starts the thread for the trace of that name. Drain thread only, like xs_signing_write: the new thread shares the
 * drain thread's descriptor table. */
void xs_signing_start(const char *path);

/* Writes the origin once it is known; waits for it at most `patience_ms`. */
void xs_signing_write(struct xs_store *store, unsigned patience_ms);

#endif
