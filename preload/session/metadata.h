/* Writes facts about the process, the machine, the options and the devices into the trace. */
#ifndef XFERSPY_PRELOAD_SESSION_METADATA_H
#define XFERSPY_PRELOAD_SESSION_METADATA_H

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/write/store.h"

/* Reads the driver's version and its devices. This function is called before xs_drain_start, by the thread that starts
 * the session, because the drain thread does not have the driver's file descriptors. */
void xs_facts_read_devices(void);

int xs_facts_driver_version(void); /* in the form of cuDriverGetVersion; 0: not known */

/* Reads the rank from the environment. This function is called by the thread that starts the session, because another
 * thread must not read the environment while the application may change it. */
void xs_facts_read_rank(void);

/* These functions write the facts into the store, inside the caller's batch. Errors of the store are reported when the
 * batch is committed. Only the drain thread may call these functions. */
void xs_facts_write(struct xs_store *store, const struct xs_options *options, const struct xs_clock *clock);
void xs_facts_write_devices(struct xs_store *store);

/* Writes the names of the functions of a newer driver (driver/unknown.h) that the program has called or looked up, if
 * there are more of them than at the last call. */
void xs_facts_write_unknown(struct xs_store *store);

#endif
