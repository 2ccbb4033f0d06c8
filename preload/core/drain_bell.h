/* The drain thread (session/drain.c) has a bell, which is an eventcount. Other threads ring it when there is work for
 * the drain thread. */
#ifndef XFERSPY_PRELOAD_CORE_DRAIN_BELL_H
#define XFERSPY_PRELOAD_CORE_DRAIN_BELL_H

#include <stdbool.h>
#include <stdint.h>

/* Rings the bell, because there is work for the drain thread. Any thread. Async-signal-safe. Wakes nothing if there is
 * no drain thread. */
void xs_drain_wake(void);

/* Reports that a thread took a chunk. Rings the bell once for every `every` chunks that were taken, so that enough
 * chunks stay free. Any thread. */
void xs_drain_chunk_taken(unsigned every);

/* Returns the number of rings so far. */
uint32_t xs_drain_rings(void);

/* True if the drain thread, after ring number `rings`, has read all events in the spool and has made the spool larger
 * if that was possible. Any thread. */
bool xs_drain_has_answered(uint32_t rings);

/* Reports that the drain thread has handled the first `heard` rings. Then sleeps until there are more rings, or for at
 * most `timeout_ms` milliseconds. Only the drain thread calls this function. */
void xs_drain_sleep(uint32_t heard, unsigned timeout_ms);

#endif
