/* Keeps the drain thread off the processors of the threads whose events it takes over (session/placement.h). */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_PLACE_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_PLACE_H

#include <stdint.h>

#include "schema/spool/spool.h"

/* To be called again and again while there are events; it looks twice a second. Drain thread only. */
void xs_drain_place(const struct xs_spool *spool);

/* CPU time that the drain thread has taken from the program so far, at most: what it used between two looks where the
 * program's threads were busy on all processors that it may run on. Any thread. */
uint64_t xs_drain_contention_ns(void);

#endif
