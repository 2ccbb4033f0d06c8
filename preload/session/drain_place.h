/* Keeps the drain thread off the processors of the threads whose events it takes over (session/placement.h). */
#ifndef XFERSPY_PRELOAD_SESSION_DRAIN_PLACE_H
#define XFERSPY_PRELOAD_SESSION_DRAIN_PLACE_H

#include "schema/spool/spool.h"

/* To be called again and again while there are events; it looks twice a second. Drain thread only. */
void xs_drain_place(const struct xs_spool *spool);

#endif
