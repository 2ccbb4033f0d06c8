/* Moves the drain thread away from the processors of the threads that record events (session/placement.h). */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_PLACEMENT_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_PLACEMENT_H

#include <stdint.h>

#include "schema/spool/spool.h"

/* Checks the placement, at most twice a second, and moves the drain thread if necessary. The drain thread calls this
 * function repeatedly while there are events. */
void xs_drain_check_placement(const struct xs_spool *spool);

/* Returns an upper bound of the CPU time that the drain thread has taken from the program so far. It is the sum of the
 * thread's CPU time in those periods between two checks in which the program was busy on all processors that the thread
 * may use. Any thread may call this function. */
uint64_t xs_drain_contention_ns(void);

#endif
