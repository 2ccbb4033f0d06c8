/* Facts that the trace holds besides events: of the process, the machine, the options and the devices. */
#ifndef XFERSPY_PRELOAD_SESSION_FACTS_H
#define XFERSPY_PRELOAD_SESSION_FACTS_H

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/write/store.h"

/* Asks the driver for its version and its devices. Called by the thread that starts the session, which has the driver's
 * file descriptors; before xs_drain_start. */
void xs_facts_read_devices(void);

int xs_facts_driver_version(void); /* as cuDriverGetVersion has it; 0: not known */

/* Reads what the environment says of the rank. The same thread: another must not read it while the application may
 * change it. */
void xs_facts_read_rank(void);

/* Write the facts into the store, inside a batch of the caller's; errors of the store show when that is committed.
 * Drain thread only. */
void xs_facts_write(struct xs_store *store, const struct xs_options *options, const struct xs_clock *clock);
void xs_facts_write_devices(struct xs_store *store);

/* Writes the names of functions of a newer driver (driver/unknown.h), if there are more since the last call. */
void xs_facts_write_unknown(struct xs_store *store);

#endif
