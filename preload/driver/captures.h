/* Tracks which streams of the process are capturing a graph, and how many. */
#ifndef XFERSPY_PRELOAD_DRIVER_CAPTURES_H
#define XFERSPY_PRELOAD_DRIVER_CAPTURES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of capturing streams. Any thread reads it, relaxed: while it is not 0, a thread that must know about its own
 * stream asks the driver. */
extern _Atomic int xs_captures;

/* A stream began to capture. `thread` is the calling thread's number if the stream is its per-thread default stream,
 * else 0. Any thread. */
void xs_captures_begin(uint64_t stream, uint32_t thread, uint64_t context);
/* The capture ended, or the stream is going. False: the stream was not known to capture, and nothing changed; its
 * capture may have begun before the session. */
bool xs_captures_end(uint64_t stream, uint32_t thread);
/* A context is gone, and its streams with it. `was_last`: no other context is left. */
void xs_captures_end_with(uint64_t context, bool was_last);

#endif
