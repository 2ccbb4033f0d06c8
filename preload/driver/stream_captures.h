/* Tracks which streams of the process are capturing a graph, and counts them. */
#ifndef XFERSPY_PRELOAD_DRIVER_STREAM_CAPTURES_H
#define XFERSPY_PRELOAD_DRIVER_STREAM_CAPTURES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The number of capturing streams. Any thread may read it, with relaxed order. While it is not 0, a thread that must
 * know whether its own stream is capturing asks the driver. */
extern _Atomic int xs_captures;

/* Runs when a stream has begun to capture. `thread` is the calling thread's number if the stream is its per-thread
 * default stream, otherwise 0. Any thread. */
void xs_captures_begin(uint64_t stream, uint32_t thread, uint64_t context);
/* Runs when the capture has ended, or when the stream is about to be destroyed. False: the stream was not known to
 * capture, and nothing was changed; its capture may have begun before the session. */
bool xs_captures_end(uint64_t stream, uint32_t thread);
/* Runs after a context and its streams were destroyed. `was_last`: no other known context is left. */
void xs_captures_end_with(uint64_t context, bool was_last);

#endif
