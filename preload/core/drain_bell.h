/* The bell of the drain thread (session/drain.c): threads ring it when there is something to take over. */
#ifndef XFERSPY_PRELOAD_CORE_DRAIN_BELL_H
#define XFERSPY_PRELOAD_CORE_DRAIN_BELL_H

#include <stdbool.h>
#include <stdint.h>

/* There is something to do for the drain thread. Any thread; async-signal-safe; no effect while there is no drain
 * thread. */
void xs_drain_wake(void);

/* A thread took a chunk. The drain thread is woken after `every` of them, so that enough stay free. Any thread. */
void xs_drain_chunk_taken(unsigned every);

/* How often the bell was rung so far. */
uint32_t xs_drain_rings(void);

/* Since the bell was rung so often, the drain thread has taken over everything that there was, and has made the spool
 * grow if it could. Any thread. */
bool xs_drain_has_answered(uint32_t rings);

/* Drain thread only: it has done what there was to do when the bell had been rung `heard` times. Sleeps until it is
 * rung more often, or for `timeout_ms`. */
void xs_drain_sleep(uint32_t heard, unsigned timeout_ms);

#endif
