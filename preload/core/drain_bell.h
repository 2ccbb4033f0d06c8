/* The bell of the drain thread (session/drain.c): threads ring it when there is something to take over. */
#ifndef XFERSPY_PRELOAD_CORE_DRAIN_BELL_H
#define XFERSPY_PRELOAD_CORE_DRAIN_BELL_H

#include <stdint.h>

/* There is something to do for the drain thread. Any thread; async-signal-safe; no effect while there is no drain
 * thread. */
void xs_drain_wake(void);

/* A thread took a chunk. Every few chunks the drain thread is woken, so that enough of them stay free. Any thread. */
void xs_drain_chunk_taken(void);

/* Drain thread only: how often the bell was rung so far. */
uint32_t xs_drain_rings(void);

/* Drain thread only: sleeps until the bell is rung more often than `heard` times, or for `timeout_ms`. */
void xs_drain_sleep(uint32_t heard, unsigned timeout_ms);

#endif
