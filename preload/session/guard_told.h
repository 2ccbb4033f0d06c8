/* Tells the user that a call broke a rule of XFERSPY_GUARD, and ends the program if the user wants that. */
#ifndef XFERSPY_PRELOAD_SESSION_GUARD_TOLD_H
#define XFERSPY_PRELOAD_SESSION_GUARD_TOLD_H

#include "preload/session/options.h"
#include "schema/write/store.h"

enum { XS_GUARD_STATUS = 3 }; /* exit status of a program that is ended */

/* Reads the rules, prints a line about each mistake in them, and begins to look at calls. This function is called by
 * the thread that starts the session, before the first event is recorded. */
void xs_guard_told_start(struct xs_options *options);

/* Tells the break of the calling thread (xs_rule_broken). The thread has left all code of the library and the driver.
 * It waits until the drain thread has taken over the call's stack, two seconds at most. Any application thread, and
 * also signal handlers. True: the program has to end with XS_GUARD_STATUS. */
bool xs_guard_told_now(void);

/* Looks in the trace for what the other functions need. Only the drain thread calls this function, after it has taken
 * over events. */
void xs_guard_told_look(struct xs_store *store);

/* Tells a break that was found too late for the program's calls. This function is called when the trace is closed.
 * True: the program has to end with XS_GUARD_STATUS, because of this break or of an earlier one. */
bool xs_guard_told_end(void);

#endif
