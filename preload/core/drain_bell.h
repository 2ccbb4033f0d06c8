/* The drain thread's bell (session/drain.c), an eventcount: threads ring it when there is something to take over. */
#ifndef XFERSPY_PRELOAD_CORE_DRAIN_BELL_H
#define XFERSPY_PRELOAD_CORE_DRAIN_BELL_H

#include <stdbool.h>
#include <stdint.h>

/* Rings the bell: the drain thread has work. Any thread; async-signal-safe; no effect without a drain thread. */
void xs_drain_wake(void);

/* A thread took a chunk. Every `every` chunks this wakes the drain thread, so that enough stay free. Any thread. */
void xs_drain_chunk_taken(unsigned every);

/* Returns how often the bell was rung so far. */
uint32_t xs_drain_rings(void);

/* True if the drain thread, since the bell was rung `rings` times, has taken over everything and has grown the spool if
 * it could. Any thread. */
bool xs_drain_has_answered(uint32_t rings);

/* Reports that the drain thread has handled the first `heard` rings. Sleeps until there are more rings, or for
 * `timeout_ms`. Drain thread only. */
void xs_drain_sleep(uint32_t heard, unsigned timeout_ms);

#endif
